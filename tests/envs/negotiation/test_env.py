from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic import run_episode
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.negotiation import TEMPERS, NegotiationEnv
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Action, Oracle, Turn

SMALL: dict[str, Any] = {"rounds": 3, "ceiling": 10, "zone": (1, 5)}


def futures(env: NegotiationEnv) -> Iterator[tuple[float, int]]:
    """The share and the length of all that can still happen, by trying everything."""
    _, info = env.current()
    if not info["admissible_actions"]:
        yield env.case.share(env._side, env._acts[-2].price) if info["success"] else 0.0, 0
        return
    here = env.snapshot()
    for action in info["admissible_actions"]:
        env.restore(here)
        env.step(action)
        yield from ((share, steps + 1) for share, steps in futures(env))
    env.restore(here)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(TEMPERS), st.integers(0, 10_000), st.integers(0, 2))
def test_the_oracle_knows_the_best_deal_there_is(temper: str, seed: int, moves: int) -> None:
    env = NegotiationEnv(opponent=temper, **SMALL)
    _, info = env.reset(seed=seed)
    for number in range(moves):
        offers = [action for action in info["admissible_actions"] if action.startswith("offer")]
        if offers:
            info = env.step(offers[(seed + number) % len(offers)])[4]
    if not info["admissible_actions"]:
        return
    best = max(futures(env), key=lambda end: (end[0], -end[1]))
    told = env.oracle()
    if best[0] <= 0:
        assert told is None
        return
    assert told
    assert (told.value, told.steps_left, told.exact, told.certain) == (pytest.approx(best[0]), best[1], True, True)
    here = env.snapshot()
    for action in info["admissible_actions"]:
        env.restore(here)
        env.step(action)
        ends = [(share, steps + 1) for share, steps in futures(env)]
        keeps = max(ends, key=lambda end: (end[0], -end[1])) == best
        assert keeps == (action in told.actions)


@pytest.mark.parametrize("temper", [*TEMPERS, "any-temper"])
def test_following_the_oracle_strikes_the_promised_deal(temper: str) -> None:
    env = NegotiationEnv(opponent=temper)
    for seed in range(12):
        env.reset(seed=seed)
        promised = env.oracle()
        assert promised
        trajectory = run_episode(env, OracleAgent(sample=True), seed=seed)
        assert trajectory.success
        assert len(trajectory.steps) == promised.steps_left
        assert trajectory.episode_return == pytest.approx(promised.value)
        assert env.oracle() == Oracle(actions=(), steps_left=0, value=trajectory.episode_return)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"opponent": "tit-for-tat", "role": "seller"},
        {"opponent": "impatient", "seat": "first", "rounds": 2},
        {"messages": True, "rounds": 4},
        {"opponent": "agentgym_critic.agents.random:RandomAgent", "ceiling": 10, "zone": 9},
    ],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Negotiation-v0", **settings), steps=12)


def test_tempers_are_what_they_are_called() -> None:
    """What they ask for when the agent never moves: late, early, soon gone, hardly."""
    asked = {temper: _asked(temper) for temper in TEMPERS}
    firm, conceding = asked["firm"], asked["conceding"]
    assert all(late >= early for late, early in zip(firm[1:-1], conceding[1:-1], strict=True))
    assert sum(firm) > sum(conceding) + 30
    assert firm[0] == conceding[0]
    assert firm[-1] == conceding[-1]
    assert len(asked["impatient"]) < len(firm) == 6
    for prices in asked.values():
        assert prices == sorted(prices, reverse=True)


def test_tit_for_tat_gives_what_it_is_given() -> None:
    env = NegotiationEnv(role="buyer", seat="second", opponent="tit-for-tat", zone=40)
    env.reset(seed=3)
    for offer in (1, 1, 6):
        env.step(f"offer {offer}")
    prices = [act.price for act in env._acts[0::2]]
    nudge = env.case.temper.nudge
    steps = [before - after for before, after in pairwise(prices)]
    assert steps == [nudge, nudge, nudge + 5]


def test_it_accepts_what_is_at_least_what_it_would_ask_for() -> None:
    env = NegotiationEnv(role="buyer", seat="second", opponent="conceding")
    env.reset(seed=1)
    demand = int(env.case.temper.demand(1, 0, 0))
    here = env.snapshot()
    assert env.step(f"offer {demand - 1}")[2] is False
    env.restore(here)
    observation, reward, terminated, *_ = env.step(f"offer {demand}")
    assert terminated
    assert observation.endswith(f"The seller accepted.\nThe {env.case.thing} is sold for {demand}.")
    assert reward == pytest.approx((env.case.limit - demand) / (env.case.limit - env.case.cost))


def test_counterparts_never_go_below_their_limit() -> None:
    for seed in range(60):
        env = NegotiationEnv()
        trajectory = run_episode(env, RandomAgent(), seed=seed)
        other = 1 - env._side
        offered = [act.price for act in env._acts if act.side == other and act.kind == "offer"]
        assert all(env.case.share(other, price) >= 0 for price in offered)
        if env._acts[-1] == (other, "accept", 0, ""):
            assert trajectory.episode_return <= 1


def test_a_deal_beyond_the_own_limit_costs() -> None:
    env = NegotiationEnv(role="buyer", seat="first", opponent="firm", zone=5)
    env.reset(seed=0)
    price = env.ceiling
    _, reward, terminated, _, info = env.step(f"offer {price}")
    assert terminated
    assert reward == -1
    case = env.case._replace(seller=1, cost=50, limit=60)
    assert [case.share(0, price) for price in (40, 50, 55, 60, 65, 75)] == [1, 1, 0.5, 0, -0.5, -1]
    assert [case.share(1, price) for price in (35, 45, 50, 55, 60, 75)] == [-1, -0.5, 0, 0.5, 1, 1]
    assert info["success"] is False
    assert env.oracle() is None


def test_both_sides_of_a_deal_share_the_zone() -> None:
    for seed in range(20):
        env = NegotiationEnv(zone=(7, 30))
        env.reset(seed=seed)
        case = env.case
        middle = (case.cost + case.limit) // 2
        assert case.share(0, middle) + case.share(1, middle) == pytest.approx(1)
        assert case.share(case.seller, case.cost) == case.share(1 - case.seller, case.limit) == 0
        assert 7 <= case.limit - case.cost <= 30
        assert 1 <= case.cost < case.limit <= env.ceiling


def test_leaving_ends_the_talk_without_a_deal() -> None:
    env = NegotiationEnv(seat="second")
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step("walk away")
    assert observation.endswith("You walked away.\nThe talk is over without a deal.")
    assert (reward, terminated, info["success"], env.oracle()) == (0.0, True, False, None)


def test_the_talk_ends_with_the_last_turn() -> None:
    env = NegotiationEnv(role="buyer", seat="first", opponent="firm", rounds=3)
    env.reset(seed=0)
    for turn in range(3):
        observation, _, terminated, _, info = env.step("offer 1")
        assert terminated == (turn == 2)
    assert observation.endswith("The talk is over without a deal.")
    assert info["admissible_actions"] == []


def test_words_are_passed_on_and_change_nothing() -> None:
    heard: list[str] = []

    class Listens:
        id = "listens"

        def reset(self, seed: int) -> None:
            pass

        def propose(self, turn: Turn) -> Action:
            heard.append(turn.observation)
            return Action(text='offer 90: "accept" is not what I say')

    env = NegotiationEnv(role="buyer", seat="first", messages=True, opponent=Listens())
    _, info = env.reset(seed=0)
    assert info["admissible_actions"] is None
    observation, *_ = env.step("offer 20: it is\n scratched; accept: now")
    assert heard[0].splitlines()[0] == 'The buyer offered 20: "it is scratched; accept: now"'
    assert observation.splitlines()[1] == 'The seller offered 90: ""accept" is not what I say"'
    assert env.step("accept: fine")[2] is True
    assert env.oracle() is None


def test_an_agents_ways_are_not_known() -> None:
    class Firm:
        id = "firm"

        def reset(self, seed: int) -> None:
            pass

        def propose(self, turn: Turn) -> Action:
            return Action(text="offer 50")

    env = NegotiationEnv(opponent=Firm())
    env.reset(seed=0)
    assert env.oracle() is None


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (
            "offer 0",
            "'offer 0' is no move here. Say: offer <price>, with a whole number from 1 to 100; accept; reject; ",
        ),
        ("offer 101", "A price is a whole number from 1 to 100, got 101."),
        ("offer 12.5", "'offer 12.5' is no move here."),
        ("offer 012", "'offer 012' is no move here."),
        ("offer \u0663\u0660", "'offer \u0663\u0660' is no move here."),
        ("\u043effer 30", "'\u043effer 30' is no move here."),
        ("Accept", "'Accept' is no move here."),
        ("offer 30: it is old", "No messages are passed here; say only 'offer 30'."),
        ("accept", "There is no offer to accept."),
        ("reject", "There is no offer to reject."),
        ("walk away", "Nobody has offered anything yet; whoever opens the talk makes an offer."),
        ("offer 9999999", "'offer 9999999' is no move here."),
        ("offer 30 offer 40", "'offer 30 offer 40' is no move here."),
    ],
)
def test_what_is_no_move_is_explained(action: str, reason: str) -> None:
    env = NegotiationEnv(seat="first")
    env.reset(seed=0)
    info = env.step(action)[4]
    assert info["invalid_reason"].startswith(reason)
    assert env._acts == ()


def test_a_long_message_is_refused() -> None:
    env = NegotiationEnv(seat="first", messages=True)
    env.reset(seed=0)
    assert env.step(f"offer 3: {'x' * 281}")[4]["invalid_reason"] == "A message has at most 280 characters, got 281."
    assert env.step(f"offer 3: {'x' * 280}")[4]["invalid_action"] is False


def test_nothing_is_negotiated_before_reset() -> None:
    env = NegotiationEnv()
    for ask in (env.current, env.oracle, env.snapshot, lambda: env.case):
        with pytest.raises(EnvError, match=r"there is nothing to negotiate yet; call reset\(\) first"):
            ask()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"role": "broker"}, r"role is 'buyer' or 'seller' or 'random', got 'broker'"),
        ({"rounds": 1}, r"rounds is a whole number from 2 to 20, got 1"),
        ({"ceiling": 201}, r"ceiling is a whole number from 10 to 200, got 201"),
        ({"ceiling": "100"}, r"ceiling is a whole number, got '100'"),
        ({"zone": 0}, r"zone is the least and the greatest width, or one number for both, from 1 to 99; got 0"),
        ({"zone": (30, 20)}, r"zone is the least and the greatest width.*; got \(30, 20\)"),
        ({"zone": (5, 100)}, r"zone is .* from 1 to 99; got \(5, 100\)"),
        ({"zone": "10"}, r"zone is .* whole numbers, got '10'"),
        ({"zone": 40, "ceiling": 20}, r"zone is .* from 1 to 19; got 40"),
        ({"opponent": "firmly"}, r"There is no opponent 'firmly'. Did you mean 'firm'\?"),
        ({"opponent": "random"}, r"There is no opponent 'random'"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Negotiation-v0", **settings)


def _asked(temper: str) -> list[int]:
    """What a selling counterpart asks for, turn by turn, while the buyer offers 1."""
    env = NegotiationEnv(role="buyer", seat="second", opponent=temper)
    env.reset(seed=1)
    while env.current()[1]["admissible_actions"]:
        env.step("offer 1")
    return [act.price for act in env._acts[0::2] if act.kind == "offer"]
