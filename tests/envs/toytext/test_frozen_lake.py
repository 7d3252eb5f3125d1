from __future__ import annotations

import re
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.toytext import FrozenLakeEnv
from agentgym_critic.errors import ConfigError

OWN = ["SFH", "HFF", "HHG"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"map": "8x8", "is_slippery": False, "max_steps": 40},
        {"map": "random", "size": 5, "success_rate": 0.8},
        {"map": OWN, "reward_schedule": (5, -1, -0.1), "max_steps": 60},
    ],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    env = make_env("agentgym_critic/FrozenLake-v0", **settings)
    single = env.unwrapped.single_task
    assert single == (settings.get("map") != "random")
    check_text_env(env, seeds=(0, 1), steps=20, single_task=single)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"map": "8x8"}, {"map_name": "8x8"}),
        ({"map": OWN, "is_slippery": False}, {"desc": OWN, "is_slippery": False}),
        (
            {"success_rate": 0.7, "reward_schedule": [2, -3, 0.5]},
            {"success_rate": 0.7, "reward_schedule": (2, -3, 0.5)},
        ),
    ],
    ids=str,
)
def test_it_is_gymnasium_s(plays_like: Any, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    plays_like(FrozenLakeEnv(**ours), gymnasium.make("FrozenLake-v1", **theirs).unwrapped)


def test_what_is_seen_is_the_lake_with_the_player() -> None:
    env = FrozenLakeEnv(map=OWN, is_slippery=False)
    observation, info = env.reset(seed=0)
    assert observation == "You are at row 1, column 1.\n@FH\nHFF\nHHG"
    assert info["task"] == (
        "Cross the frozen lake from S to G without falling into a hole. You move left, down, right or up; a move off "
        "the lake leaves you where you are. Symbols: S start, F ice, H hole, G goal, @ you."
    )
    assert env.step("right")[0] == "You are at row 1, column 2.\nS@H\nHFF\nHHG"
    start = env.snapshot()
    assert env.step("right")[:3] == (
        "You have fallen into a hole. You are at row 1, column 3.\nSF@\nHFF\nHHG",
        0.0,
        True,
    )
    env.restore(start)
    env.step("down")
    env.step("right")
    observation, reward, terminated, _, info = env.step("down")
    assert observation == "You have reached the goal. You are at row 3, column 3.\nSFH\nHFF\nHH@"
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_slipping_is_part_of_the_task() -> None:
    _, info = FrozenLakeEnv(success_rate=0.75).reset(seed=0)
    assert (
        "The ice is slippery: a move goes where you want with probability 0.75 and else to the left or right of that. "
        in info["task"]
    )


def test_a_hole_with_a_positive_reward_is_no_success() -> None:
    env = FrozenLakeEnv(map=OWN, is_slippery=False, reward_schedule=(1, 2, 0))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("down")
    assert (reward, terminated, info["success"]) == (2.0, True, False)
    env.reset(seed=0)
    assert env.oracle() is None, "best play falls into a hole"


def test_random_maps_come_from_the_seed_and_can_be_crossed() -> None:
    env = FrozenLakeEnv(map="random", size=6, frozen_share=0.6, is_slippery=False)
    ids = set()
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        ids.add(info["task_id"])
        assert [len(row) for row in observation.splitlines()[1:]] == [6] * 6
        assert 10 <= env.oracle().steps_left <= 35
        assert env.reset(seed=seed)[0] == observation
    assert len(ids) == 30
    assert all(re.fullmatch(r"frozen-lake-6x6-[0-9a-f]{16}", name) for name in ids)


def test_equal_cells_of_different_maps_are_different_states() -> None:
    env = FrozenLakeEnv(map="random", size=3, frozen_share=0.9)
    seen: dict[str, str] = {}
    for seed in range(40):
        observation, info = env.reset(seed=seed)
        assert seen.setdefault(info["state_key"], observation) == observation
    assert len(set(seen.values())) == len(seen) > 1


def test_a_snapshot_brings_its_map_along() -> None:
    env = FrozenLakeEnv(map="random", is_slippery=False)
    before = env.reset(seed=1)
    saved, known = env.snapshot(), env.oracle()
    env.reset(seed=2)
    env.oracle()
    env.restore(saved)
    assert (env.current(), env.oracle()) == (before, known)


def test_the_own_step_limit_is_gymnasium_s() -> None:
    assert FrozenLakeEnv().max_steps == gymnasium.spec("FrozenLake-v1").max_episode_steps
    assert FrozenLakeEnv(map="8x8").max_steps == gymnasium.spec("FrozenLake8x8-v1").max_episode_steps


def test_best_play_crosses_as_often_as_promised() -> None:
    env = FrozenLakeEnv(max_steps=None)
    crossed = 0
    for seed in range(400):
        env.reset(seed=seed)
        while env._running:
            *_, info = env.step(env.oracle().actions[0])
        crossed += info["success"]
    assert crossed / 400 == pytest.approx(14 / 17, abs=4 * (14 / 17 * 3 / 17 / 400) ** 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"map": "9x9"}, "map is one of ['4x4', '8x8', 'random'], or a list of rows; got '9x9'"),
        ({"map": 4}, "or a list of rows; got 4"),
        ({"map": []}, "the rows of a map are strings of the same length, got []"),
        ({"map": ["SG", "F"]}, "the rows of a map are strings of the same length, got ['SG', 'F']"),
        ({"map": ["S?", "FG"]}, "a map is made of S, F, H and G, got ['?']"),
        ({"map": ["SS", "FG"]}, "a map has one S and at most 400 cells; got 2 S in 2 x 2 cells"),
        ({"map": ["SG" + "F" * 98] + ["F" * 100] * 99}, "got 1 S in 100 x 100 cells"),
        ({"map": ["S" + "F" * 399 + "G"]}, "a map has one S and at most 400 cells; got 1 S in 1 x 401 cells"),
        ({"map": ["SH", "HG"]}, "no way leads from S to a G of the map; open one"),
        ({"map": ["SF", "FF"]}, "no way leads from S to a G of the map; open one"),
        ({"size": 5}, "size and frozen_share make a random map, but map is '4x4'; leave them out"),
        ({"map": "8x8", "frozen_share": 0.5}, "make a random map, but map is '8x8'; leave them out"),
        ({"map": "random", "size": 1}, "size is a whole number from 2 to 20, got 1"),
        ({"map": "random", "size": 21}, "size is a whole number from 2 to 20, got 21"),
        ({"map": "random", "size": 4.0}, "size is a whole number from 2 to 20, got 4.0"),
        ({"map": "random", "frozen_share": 2}, "frozen_share is a probability from 0 to 1, got 2"),
        (
            {"map": "random", "size": 20, "frozen_share": 0.05},
            "none of 200 random maps of size=20 and frozen_share=0.05 has a way from S to G; raise frozen_share or "
            "lower size",
        ),
        ({"success_rate": 1.5}, "success_rate is a probability from 0 to 1, got 1.5"),
        ({"reward_schedule": (1, 0)}, "reward_schedule is three finite numbers: for goal, hole and ice; got (1, 0)"),
        ({"reward_schedule": (1, 0, float("inf"))}, "reward_schedule is three finite numbers"),
        ({"max_steps": 0}, "max_steps is at least 1, or None for no limit; got 0"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    started = time.process_time()
    with pytest.raises(ConfigError, match=re.escape(message)):
        FrozenLakeEnv(**settings)
    assert time.process_time() - started < 1


def test_a_map_too_rare_is_refused_when_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    env = FrozenLakeEnv(map="random", size=4, frozen_share=0.6)
    monkeypatch.setattr("agentgym_critic.envs.toytext.frozen_lake.MORE_TRIES", 0)
    with pytest.raises(ConfigError, match="none of 0 random maps"):
        env.reset(seed=0)


def test_a_reward_for_going_in_circles_is_noticed_by_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_critic.envs.adapter.table.SWEEPS", 500)
    env = FrozenLakeEnv(reward_schedule=(1, 0, 0.1))
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="the table allows a sum of rewards without bound"):
        env.oracle()


def test_the_seed_alone_decides() -> None:
    env = FrozenLakeEnv(map="random")
    np.random.seed(0)
    first = env.reset(seed=9)
    np.random.seed(1)
    assert FrozenLakeEnv(map="random").reset(seed=9) == first


def test_a_lake_may_be_one_cell_wide() -> None:
    env = FrozenLakeEnv(map=["S", "F", "G"], is_slippery=False)
    observation, _ = env.reset(seed=0)
    assert observation == "You are at row 1, column 1.\n@\nF\nG"
    told = env.oracle()
    assert told is not None
    assert (told.actions, told.steps_left) == (("down",), 2)
    env.step("down")
    assert env.step("down")[4]["success"]
