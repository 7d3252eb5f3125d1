from __future__ import annotations

import re
from typing import Any

import gymnasium
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.toytext import BlackjackEnv
from agentgym_critic.errors import ConfigError

RULES = [{}, {"sab": False, "natural": True}, {"sab": False}]


def at(player: list[int], dealer: list[int], **settings: Any) -> BlackjackEnv:
    env = BlackjackEnv(**settings)
    env.reset(seed=0)
    env.inner.player, env.inner.dealer = list(player), list(dealer)
    return env


@pytest.mark.parametrize("settings", RULES, ids=str)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Blackjack-v0", **settings))


@pytest.mark.parametrize("settings", RULES, ids=str)
def test_it_is_gymnasium_s(plays_like: Any, settings: dict[str, Any]) -> None:
    plays_like(BlackjackEnv(**settings), gymnasium.make("Blackjack-v1", **settings).unwrapped)


@pytest.mark.parametrize(
    ("player", "dealer", "text"),
    [
        ([10, 6], [8, 2], "You have 10, 6: 16. The dealer shows an 8 and has a hidden card."),
        ([1, 6], [1, 2], "You have ace, 6: 17, the ace counted as 11. The dealer shows an ace and has a hidden card."),
        ([1, 6, 9], [10, 2], "You have ace, 6, 9: 16. The dealer shows a 10 and has a hidden card."),
    ],
)
def test_what_is_seen_hides_one_card(player: list[int], dealer: list[int], text: str) -> None:
    assert at(player, dealer)._view() == text


@pytest.mark.parametrize(
    ("player", "dealer", "text", "reward"),
    [
        ([10, 9], [10, 8], "You have 10, 9: 19. The dealer has 10, 8: 18. You win.", 1.0),
        ([10, 9], [10, 9], "You have 10, 9: 19. The dealer has 10, 9: 19. You draw.", 0.0),
        ([10, 6], [1, 8], "You have 10, 6: 16. The dealer has ace, 8: 19, the ace counted as 11. You lose.", -1.0),
    ],
)
def test_sticking_shows_the_dealer_s_cards(player: list[int], dealer: list[int], text: str, reward: float) -> None:
    env = at(player, dealer)
    observation, given, terminated, _, info = env.step("stick")
    assert (observation, given, terminated, info["success"]) == (text, reward, True, reward > 0)


def test_going_over_is_told_and_hides_the_dealer_s_card() -> None:
    env = at([10, 10], [10, 9])
    env.inner.np_random.choice(10)
    while env._running:
        observation, reward, *_ = env.step("hit")
    assert re.fullmatch(r"You have 10, 10(, (ace|\d+))+: 2[2-9]. That is more than 21: you lose.", observation)
    assert reward == -1.0


def test_the_rules_are_told() -> None:
    tasks = [BlackjackEnv(**rules).reset(seed=0)[1] for rules in RULES]
    plain = (
        "Beat the dealer at blackjack: come closer to 21 without going over. hit gives you another card, stick ends "
        "your turn; then the dealer draws cards up to 17 or more. Jack, queen and king are tens; an ace counts 11 "
        "where that is not too much, else 1."
    )
    assert [info["task"] for info in tasks] == [
        f"{plain} An ace and a ten as your first two cards win at once, unless the dealer has them too.",
        f"{plain} Winning with an ace and a ten as your first two cards counts one and a half times.",
        plain,
    ]
    assert [info["task_id"] for info in tasks] == ["blackjack-sab", "blackjack-natural", "blackjack"]


def test_a_key_knows_the_hidden_card_but_not_the_order_of_one_s_own() -> None:
    assert at([10, 6], [8, 2])._state_key() == at([6, 10], [8, 2])._state_key()
    assert at([10, 6], [8, 2])._state_key() != at([10, 6], [8, 3])._state_key()
    assert at([10, 6], [8, 2])._state_key() != at([10, 6], [2, 8])._state_key()


def test_a_snapshot_keeps_the_hands() -> None:
    env = at([2, 3], [8, 2])
    saved, before = env.snapshot(), env._view()
    hits = [env.step("hit")[0] for _ in range(2)]
    env.restore(saved)
    assert env._view() == before
    assert [env.step("hit")[0] for _ in range(2)] == hits


@pytest.mark.parametrize(
    ("player", "dealer", "best"),
    [
        ([10, 10], [6, 2], "stick"),
        ([10, 2], [6, 2], "stick"),
        ([10, 2], [2, 2], "hit"),
        ([10, 6], [7, 2], "hit"),
        ([1, 7], [9, 2], "hit"),
        ([1, 7], [8, 2], "stick"),
        ([5, 6], [10, 2], "hit"),
    ],
)
def test_the_oracle_plays_by_the_book(player: list[int], dealer: list[int], best: str) -> None:
    env = at(player, dealer)
    known = env.oracle()
    assert known.actions == (best,)
    assert (known.exact, known.certain) == (True, False)
    assert known.value == max(env.action_values().values())


def test_an_ace_and_a_ten_count_as_the_rules_say() -> None:
    rewards = []
    for rules in RULES:
        env = at([1, 10], [7, 7, 7], **rules)
        rewards.append((env.step("stick")[1], at([1, 10], [10, 10], **rules).step("stick")[1]))
    assert rewards == [(1.0, 1.0), (0.0, 1.5), (0.0, 1.0)]


def test_the_oracle_does_not_peek() -> None:
    told = {at([10, 6], [10, hidden]).oracle() for hidden in range(1, 11)}
    assert len(told) == 1


def test_best_play_earns_what_was_promised() -> None:
    env = BlackjackEnv()
    surprise = []
    for seed in range(1500):
        env.reset(seed=seed)
        promised = env.oracle().value
        while env._running:
            _, reward, *_ = env.step(env.oracle().actions[0])
        surprise.append(reward - promised)
    assert sum(surprise) / 1500 == pytest.approx(0, abs=4 * 0.95 / 1500**0.5)


def test_conflicting_rules_are_refused() -> None:
    message = "natural=True has no meaning with sab=True; pass sab=False too"
    with pytest.raises(ConfigError, match=message):
        BlackjackEnv(natural=True)


def test_a_hand_that_is_over_is_another_state_though_the_cards_are_the_same() -> None:
    env = at([10, 9], [10, 7])
    before = env.current()[1]["state_key"]
    *_, terminated, _, info = env.step("stick")
    assert terminated
    assert env.inner.dealer == [10, 7]
    assert info["state_key"] != before
