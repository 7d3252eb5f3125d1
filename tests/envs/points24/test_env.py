from __future__ import annotations

import re
import time
from typing import Any

import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.base import Snapshot
from agentgym_critic.envs.points24 import Formula, Points24Env
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle


def at(*cards: int, **settings: Any) -> Points24Env:
    env = Points24Env(**settings)
    env.restore(Snapshot((cards, Formula(cards)), "", 0, True, False, ""))
    return env


def play(env: Points24Env, text: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
    for symbol in text.split():
        result = env.step(symbol)
        assert not result[4]["invalid_action"]
    return result


@pytest.mark.parametrize(
    "settings",
    [{}, {"cards": 3, "target": 10, "solvable": False}, {"cards": 2, "target": 12, "faces_are_ten": False}],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Points24-v0", **settings))


def test_a_formula_grows_token_by_token() -> None:
    env = at(3, 3, 8, 8)
    assert env.current()[1]["task"] == (
        "Make 24 of the cards 3, 3, 8, 8: write a formula that uses each card exactly once, with + - * / and brackets, "
        "one token at a time. Fractions on the way are fine. = ends the formula."
    )
    assert env._view() == "Cards left: 3, 3, 8, 8\nFormula: nothing yet"
    assert play(env, "8 / ( 3")[0] == "Cards left: 3, 8\nFormula: 8 / ( 3"
    assert env.reachable()
    observation, reward, terminated, truncated, info = play(env, "- 8 / 3 ) =")
    assert observation == "Cards left: none\nFormula: 8 / ( 3 - 8 / 3 ) =\nIt makes 24."
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    assert env.oracle() == Oracle(actions=(), steps_left=0)


@pytest.mark.parametrize(
    ("text", "ending"),
    [("3 + 3 + 8 + 8 =", "It makes 22, not 24."), ("8 / 3 / 8 + 3 =", "It makes 10/3, not 24."),
     ("8 / ( 3 - 3 ) + 8 =", "It divides by zero.")],
)  # fmt: skip
def test_what_misses_the_target_ends_without_success(text: str, ending: str) -> None:
    env = at(3, 3, 8, 8)
    observation, reward, terminated, _, info = play(env, text)
    assert observation.splitlines()[-1] == ending
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert env.oracle() is None
    assert not env.reachable()


def test_a_formula_that_is_lost_is_played_on() -> None:
    env = at(3, 3, 8, 8)
    play(env, "3 +")
    assert (env.oracle(), env.reachable()) == (None, False)
    assert env.current()[1]["admissible_actions"] == ["3", "8", "("]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("9", "There is no card 9 left; cards left: 3, 3, 8, 8."),
        ("+", "+ cannot come here; a number or ( comes next."),
        ("twenty", "There is no action 'twenty'; the actions are 3, 8, +, -, *, /, (, ), =."),
        ("3 3", "There is no action '3 3'; the actions are 3, 8, +, -, *, /, (, ), =."),
        (
            "\uff13",
            "the actions are 3, 8, +, -, *, /, (, ), =. Yours has the character U+FF13 (FULLWIDTH DIGIT THREE).",
        ),
        ("\u0663", "Yours has the character U+0663 (ARABIC-INDIC DIGIT THREE)."),
        ("\u00d7", "Yours has the character U+00D7 (MULTIPLICATION SIGN)."),
        ("\u2212", "Yours has the character U+2212 (MINUS SIGN)."),
        ("9" * 900, f"There is no card {'9' * 900} left; cards left: 3, 3, 8, 8."),
        ("-3", "There is no action '-3'; the actions are 3, 8, +, -, *, /, (, ), =."),
    ],
)
def test_wrong_tokens_are_explained(action: str, reason: str) -> None:
    env = at(3, 3, 8, 8)
    view = env._view()
    observation, reward, _, _, info = env.step(action)
    assert info["invalid_reason"].endswith(reason)
    assert observation == f"{info['invalid_reason']}\n\n{view}"
    assert reward == 0.0


def test_deals_are_solvable_and_named_by_their_cards() -> None:
    env = Points24Env()
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert info["task_id"] == f"points24-24-{'-'.join(map(str, env.hand))}"
        assert env.oracle().steps_left >= 8
        assert env.oracle().exact


def test_states_of_different_hands_and_formulas_differ() -> None:
    keys = {at(3, 3, 8, 8)._state_key(), at(3, 8, 3, 8)._state_key(), at(3, 3, 8, 9)._state_key()}
    env = at(3, 3, 8, 8)
    for symbol in ("8", "-", "("):
        env.step(symbol)
        keys.add(env._state_key())
    assert len(keys) == 6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cards": 1}, "cards is from 2 to 5, got 1"),
        ({"cards": 6}, "cards is from 2 to 5, got 6"),
        ({"cards": 4.0}, "cards is a whole number, got 4.0"),
        ({"target": "24"}, "target is a whole number, got '24'"),
        ({"target": True}, "target is a whole number, got True"),
        ({"target": 2**60, "solvable": False}, f"4 cards make at most 10000, got target={2**60}"),
        ({"target": 10001}, "4 cards make at most 10000, got target=10001"),
        ({"target": -101, "cards": 2}, "2 cards make at most 100, got target=-101"),
        (
            {"target": 9999},
            "target=9999 can be made of none of 50 hands of 4 cards; choose another target or more cards",
        ),
        ({"max_steps": 0}, "max_steps is at least 1, or None for no limit; got 0"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    started = time.process_time()
    with pytest.raises(ConfigError, match=re.escape(message)):
        Points24Env(**settings)
    assert time.process_time() - started < 1


def test_nothing_is_known_before_the_first_deal() -> None:
    env = Points24Env()
    for ask in (env.oracle, env.reachable, lambda: env.hand, lambda: env.formula):
        with pytest.raises(EnvError, match=re.escape("no hand is dealt; call reset() first")):
            ask()
