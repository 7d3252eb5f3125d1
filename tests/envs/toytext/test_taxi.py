from __future__ import annotations

import copy
import itertools
from collections import Counter
from typing import Any

import gymnasium
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.toytext import TaxiEnv
from agentgym_critic.envs.toytext.taxi import ACTIONS, fickle_table
from agentgym_critic.errors import ConfigError

SETTINGS: list[dict[str, Any]] = [
    {},
    {"is_rainy": True, "rainy_probability": 0.6},
    {"fickle_passenger": True, "fickle_probability": 1.0},
    {"fickle_passenger": True, "is_rainy": True},
]


def at(*state: int, **settings: Any) -> TaxiEnv:
    """A taxi at row, column, with the passenger at a stop (4: aboard) who wants to go to another."""
    env = TaxiEnv(**settings)
    env.reset(seed=0)
    env.inner.s = env._seen = env.inner.encode(*state)
    return env


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Taxi-v0", **settings), seeds=(0, 1), steps=20)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_it_is_gymnasium_s(plays_like: Any, settings: dict[str, Any]) -> None:
    plays_like(TaxiEnv(**settings), gymnasium.make("Taxi-v4", **settings).unwrapped)


def test_what_is_seen_is_the_map_and_who_wants_what() -> None:
    env = at(2, 1, 0, 3)
    assert env._view() == (
        "Your taxi is at row 3, column 2. The passenger waits at R (row 1, column 1) and wants to go to B (row 5, "
        "column 4).\n+---------+\n|R: | : :G|\n| : | : : |\n| :@: : : |\n| | : | : |\n|Y| : |B: |\n+---------+"
    )
    assert (
        at(0, 0, 4, 1)
        ._view()
        .startswith(
            "Your taxi is at row 1, column 1; the way is closed to the north, west. The passenger is in the taxi and "
            "wants to go to G (row 1, column 5).\n"
        )
    )
    assert "closed to the south, east, west. " in at(4, 0, 4, 1)._view()
    assert "closed to the east. " in at(1, 1, 4, 1)._view()


def test_an_errand_is_told_step_by_step() -> None:
    env = at(0, 0, 0, 2)
    assert env.step("drop off")[:2] == ("You cannot drop off here. " + at(0, 0, 0, 2)._view(), -10.0)
    assert env.step("pick up")[:2] == (at(0, 0, 4, 2)._view(), -1.0)
    assert env.step("pick up")[0].startswith("You cannot pick up here. Your taxi is at")
    for _ in range(4):
        env.step("south")
    observation, reward, terminated, _, info = env.step("drop off")
    assert "The passenger has arrived at Y (row 5, column 1)." in observation
    assert (reward, terminated, info["success"]) == (20.0, True, True)


def test_the_task_tells_the_rules_and_its_id_the_errand() -> None:
    _, info = TaxiEnv(is_rainy=True, rainy_probability=0.7, fickle_passenger=True).reset(seed=0)
    assert info["task"] == (
        "Drive to the passenger, pick them up, and drop them off at their destination, in as few steps as you can. You "
        "drive south, north, east or west. Picking up or dropping off where that is not possible is costly. It rains: "
        "a drive goes where you want with probability 0.70, else to one side of that. The passenger may change their "
        "mind about the destination on the way. On the map | is a wall, : an open way, R, G, Y and B are "
        "stops, @ is you."
    )
    env = TaxiEnv()
    ids: dict[str, str] = {}
    for seed in range(60):
        observation, info = env.reset(seed=seed)
        assert ids.setdefault(info["task_id"], observation) == observation
    assert len(set(ids.values())) == len(ids)


def test_the_oracle_takes_the_shortest_way() -> None:
    env = TaxiEnv()
    table = env.inner.P
    for start in range(0, 500, 7):
        if not env.inner.initial_state_distrib[start]:
            continue
        layer, seen, steps = {start}, {start}, 0
        while not any(end for state in layer for [(_, _, _, end)] in table[state].values()):
            layer = {after for state in layer for [(_, after, _, _)] in table[state].values()} - seen
            seen |= layer
            steps += 1
        env.reset(seed=0)
        env.inner.s = start
        assert env.oracle().steps_left == steps + 1
        assert env.oracle().value == 20 - steps


def test_a_fickle_passenger_s_table_is_what_happens() -> None:
    env = TaxiEnv(fickle_passenger=True, fickle_probability=1.0, is_rainy=True)
    env.reset(seed=0)
    table, inner = fickle_table(env.inner), env.inner
    places = [(2, 2), (0, 0), (3, 4)]
    for (row, col), passenger, about_to in itertools.product(places, (1, 4), (False, True)):
        state = inner.encode(row, col, passenger, 2)
        for action in range(len(ACTIONS)):
            expected: Counter[Any] = Counter()
            for chance, after, reward, ends in table[state, about_to][action]:
                expected[after, reward, ends] += chance
            seen: Counter[Any] = Counter()
            for _ in range(300):
                inner.s, inner.fickle_step = state, about_to
                after, reward, ends, _, _ = inner.step(action)
                seen[(after, bool(inner.fickle_step)), reward, ends] += 1
            assert set(seen) == {outcome for outcome, chance in expected.items() if chance}
            for outcome, chance in expected.items():
                assert seen[outcome] / 300 == pytest.approx(chance, abs=4.5 * (chance * (1 - chance) / 300) ** 0.5)


def test_who_may_change_their_mind_is_part_of_the_state() -> None:
    env = at(2, 2, 4, 0, fickle_passenger=True)
    keys = []
    for about_to in (False, True):
        env.inner.fickle_step = about_to
        keys.append(env._state_key())
    assert keys[0] != keys[1]
    env.inner.fickle_step = False
    sure = env.oracle()
    env.inner.fickle_step = True
    unsure = env.oracle()
    assert sure.certain
    assert not unsure.certain
    assert unsure.value < sure.value


def test_the_table_is_made_once() -> None:
    env = TaxiEnv(fickle_passenger=True)
    env.reset(seed=0)
    assert env._table() is env._table()
    env.restore(env.snapshot())
    env.oracle()
    solved = env._solution
    copied = copy.deepcopy(env)
    env.step("south")
    env.oracle()
    assert env._solution is solved
    assert copied.oracle() is not None


@pytest.mark.parametrize("name", ["rainy_probability", "fickle_probability"])
def test_probabilities_are_checked(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is a probability from 0 to 1, got 3"):
        TaxiEnv(**{name: 3})


def test_a_taxi_that_hardly_ever_goes_where_it_should_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"rainy_probability is at least 0\.01, since .*; got 0\.001"):
        TaxiEnv(is_rainy=True, rainy_probability=0.001)
    env = TaxiEnv(is_rainy=True, rainy_probability=0.01)
    env.reset(seed=1)
    assert env.oracle() is not None
