from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest

from agentgym_critic.envs.babyai import BabyAIEnv, level_names
from agentgym_critic.envs.babyai.levels import copy_level, level_state, make_level
from agentgym_critic.errors import MissingExtraError, UnknownIdError


def played(name: str, seed: int, steps: int) -> Any:
    env = make_level(name)
    env.reset(seed=seed)
    rng = random.Random(seed)
    for _ in range(steps):
        env.step(rng.randrange(6))
    return env


def test_all_levels_have_names() -> None:
    names = level_names()
    assert names == sorted(names)
    assert len(names) > 90
    assert {"GoToLocal", "GoToObjS6", "BossLevel", "KeyInBox"} <= set(names)


def test_every_level_can_be_played() -> None:
    for name in level_names():
        env = BabyAIEnv(level=name)
        observation, info = env.reset(seed=0)
        assert observation.startswith("You face ")
        assert info["admissible_actions"]
        env.step(info["admissible_actions"][-1])
        assert env.snapshot()


@pytest.mark.parametrize("name", ["GoToLocal", "PutNextLocal", "UnlockPickup", "BossLevel", "KeyInBox"])
def test_a_copy_goes_on_as_the_original_would(name: str) -> None:
    env = played(name, 3, 20)
    twin, before = copy_level(env), level_state(env)
    assert level_state(twin) == before
    for target in (env, twin):
        rng = random.Random(8)
        target.trace = [str(target.step(rng.randrange(6))[0]["image"]) for _ in range(40)]
    assert env.trace == twin.trace
    assert level_state(twin) == level_state(env)
    assert all(each.env is twin for each in _instructions(twin.instrs))


def _instructions(instruction: Any) -> list[Any]:
    parts = [getattr(instruction, name) for name in ("instr_a", "instr_b") if hasattr(instruction, name)]
    return [instruction, *(each for part in parts for each in _instructions(part))]


def test_a_copy_is_not_touched_by_the_original() -> None:
    env = played("UnlockPickup", 1, 0)
    twin, before = copy_level(env), level_state(env)
    rng = random.Random(0)
    for _ in range(60):
        env.step(rng.randrange(6))
    assert level_state(env) != before
    assert level_state(twin) == before


def test_a_thing_taken_and_put_back_is_the_state_as_it_was(empty_room: Any) -> None:
    env = empty_room({(3, 4): "red ball"})
    start = level_state(env)
    env.step(3)
    assert level_state(env) != start
    env.step(4)
    assert level_state(env) == start


def test_which_of_two_equal_things_is_where_counts(empty_room: Any) -> None:
    env = empty_room({(3, 4): "red ball", (5, 5): "red ball"})
    start = level_state(env)
    first, second = env.grid.get(3, 4), env.grid.get(5, 5)
    env.grid.set(3, 4, second)
    env.grid.set(5, 5, first)
    assert level_state(env) != start


def test_what_is_in_a_box_and_behind_a_lock_counts(empty_room: Any) -> None:
    env = empty_room({(3, 4): "red box", (5, 5): "blue door locked"})
    states = {level_state(env)}
    env.grid.get(5, 5).is_locked = False
    states.add(level_state(env))
    env.grid.get(3, 4).contains = env.grid.get(5, 5)
    states.add(level_state(env))
    env.agent_dir = 2
    states.add(level_state(env))
    assert len(states) == 4


def test_an_unknown_level_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownIdError, match=r"There is no BabyAI level 'GoToLocl'\. Did you mean 'GoToLocal'"):
        make_level("GoToLocl")


def test_without_minigrid_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minigrid", None)
    message = r'BabyAI needs the package minigrid, .*; pip install "agentgym-critic\[babyai\]"'
    with pytest.raises(MissingExtraError, match=message):
        BabyAIEnv()


def test_nothing_is_printed_and_minigrid_is_imported_late() -> None:
    program = (
        "import sys; from agentgym_critic.envs.babyai import BabyAIEnv; assert 'minigrid' not in sys.modules\\n"
        "for seed in range(5): BabyAIEnv(level='BossLevel').reset(seed=seed)"
    )
    done = subprocess.run([sys.executable, "-c", program.replace("\\n", "\n")], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
