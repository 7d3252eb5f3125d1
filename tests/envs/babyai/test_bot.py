from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from agentgym_critic.envs.babyai import bot as module
from agentgym_critic.envs.babyai.bot import find_way, seen_cells
from agentgym_critic.envs.babyai.levels import copy_level, level_state, make_level
from agentgym_critic.envs.babyai.words import ACTIONS, refusal

LEVELS = ["GoToLocal", "PickupLoc", "PutNextLocal", "UnlockPickup", "GoToSeqS5R2", "OpenDoorsOrderN2", "FindObjS5"]


def follow(env: Any, way: tuple[str, ...]) -> float:
    for action in way:
        assert refusal(env, action) == ""
        _, reward, terminated, _, _ = env.step(ACTIONS[action])
    assert terminated
    return reward


@pytest.mark.parametrize("name", LEVELS)
def test_a_way_leads_to_success_and_finding_it_changes_nothing(name: str) -> None:
    env = make_level(name)
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        before, luck = level_state(env), env.np_random.bit_generator.state
        way = find_way(env, seen_cells(env, observation["image"]))
        assert way
        assert (level_state(env), env.np_random.bit_generator.state) == (before, luck)
        assert follow(env, way) > 0


def test_a_way_is_found_from_nearly_anywhere() -> None:
    found = 0
    for seed in range(12):
        env = make_level("UnlockPickup")
        env.reset(seed=seed)
        rng = random.Random(seed)
        for _ in range(15):
            env.step(rng.choice([0, 1, 2, 2, 2, 3]))
        way = find_way(env, np.zeros((env.width, env.height), dtype=bool))
        found += way is not None and follow(env, way) > 0
    assert found >= 10


def test_what_is_done_already_is_not_done_again() -> None:
    env = make_level("OpenDoorsOrderN2")
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        known = seen_cells(env, observation["image"])
        way = find_way(env, known)
        for number, action in enumerate(way or (), start=1):
            env.step(ACTIONS[action])
            if "success" in (getattr(env.instrs, "a_done", None), getattr(env.instrs, "b_done", None)):
                rest = find_way(env, known)
                assert rest is not None
                assert len(rest) <= len(way) - number
                return
    pytest.fail("no mission of two parts was drawn")


def test_what_is_carried_is_dropped_where_the_bot_would_be_stuck(empty_room: Any) -> None:
    env = make_level("PickupLoc")
    observation, _ = env.reset(seed=0)
    objects = [cell for cell in env.grid.grid if cell is not None and cell.type in ("ball", "key", "box")]
    other = next(thing for thing in objects if thing not in env.instrs.desc.obj_set)
    env.grid.set(*other.cur_pos, None)
    env.carrying = other
    way = find_way(env, seen_cells(env, observation["image"]))
    assert way
    assert way[0] == "drop"
    assert follow(env, way) > 0


def test_a_bot_that_stumbles_knows_no_way() -> None:
    env = make_level("KeyInBox")
    env.reset(seed=0)
    assert find_way(env, np.zeros((env.width, env.height), dtype=bool)) is None


class Dreamer:
    """A bot that plans and plans."""

    def __init__(self, level: Any) -> None:
        self.stack: list[Any] = []
        self.vis_mask = None

    def replan(self, action: Any) -> int:
        while True:
            self.stack.append("?")
            self.stack.pop()


class Spinner(Dreamer):
    """A bot that only turns."""

    def replan(self, action: Any) -> int:
        return 0


class Quitter(Dreamer):
    """A bot that says it is done."""

    def replan(self, action: Any) -> int:
        return 6


class Bumper(Dreamer):
    """A bot that picks up where nothing is."""

    def replan(self, action: Any) -> int:
        return 3


@pytest.mark.parametrize("kind", [Dreamer, Spinner, Quitter, Bumper])
def test_a_bot_without_a_way_is_stopped(kind: type[Dreamer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.require("minigrid.utils.baby_ai_bot", "babyai", "a test"), "BabyAIBot", kind)
    env = make_level("GoToLocal")
    observation, _ = env.reset(seed=0)
    assert find_way(env, seen_cells(env, observation["image"])) is None


def test_seen_cells_are_those_in_view() -> None:
    for name, seed in (("GoToLocal", 0), ("BossLevel", 3), ("MiniBossLevel", 1)):
        env = make_level(name)
        env.reset(seed=seed)
        rng = random.Random(seed)
        for _ in range(30):
            observation = env.step(rng.randrange(6))[0]
            expected = np.zeros((env.width, env.height), dtype=bool)
            for column, row in np.argwhere(observation["image"][..., 0]):
                for place in np.ndindex(expected.shape):
                    if env.relative_coords(*place) == (column, row):
                        expected[place] = True
            assert (seen_cells(env, observation["image"]) == expected).all()


def test_copies_of_the_level_are_what_the_bot_plays_in(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = []
    monkeypatch.setattr(module, "copy_level", lambda env: copies.append(copy_level(env)) or copies[-1])
    env = make_level("GoToLocal")
    observation, _ = env.reset(seed=0)
    find_way(env, seen_cells(env, observation["image"]))
    assert len(copies) == 2
    assert all(level.step_count for level in copies)
    assert env.step_count == 0
