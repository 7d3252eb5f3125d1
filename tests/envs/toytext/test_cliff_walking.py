from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.toytext import CliffWalkingEnv
from agentgym_critic.types import Oracle

START = "oooooooooooo\noooooooooooo\noooooooooooo\n@CCCCCCCCCCG"


@pytest.mark.parametrize("settings", [{}, {"is_slippery": True, "max_steps": 30}], ids=str)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    env = make_env("agentgym_critic/CliffWalking-v0", **settings)
    check_text_env(env, seeds=(0, 1), steps=20, single_task=env.unwrapped.single_task)


@pytest.mark.parametrize("settings", [{}, {"is_slippery": True}], ids=str)
def test_it_is_gymnasium_s(plays_like: Any, settings: dict[str, Any]) -> None:
    plays_like(CliffWalkingEnv(**settings), gymnasium.make("CliffWalking-v1", **settings).unwrapped)


def test_a_fall_is_told() -> None:
    env = CliffWalkingEnv()
    observation, info = env.reset(seed=0)
    assert observation == f"You are at row 4, column 1.\n{START}"
    assert info["task_id"] == "cliff-walking"
    assert info["task"] == (
        "Walk from S to G in as few steps as you can. You move up, right, down or left; a move off the field leaves "
        "you where you are, and a step onto the cliff is very costly and leads back to S. Symbols: S start, o ground, "
        "C cliff, G goal, @ you."
    )
    observation, reward, *_ = env.step("right")
    assert observation == f"You fell off the cliff and are back at the start. You are at row 4, column 1.\n{START}"
    assert reward == -100.0
    assert env.step("left")[0] == f"You are at row 4, column 1.\n{START}"
    assert env.step("up")[0] == "You are at row 3, column 1.\noooooooooooo\noooooooooooo\n@ooooooooooo\nSCCCCCCCCCCG"


def test_a_fall_is_remembered_by_a_snapshot() -> None:
    env = CliffWalkingEnv()
    env.reset(seed=0)
    before = env.snapshot()
    env.step("right")
    after = env.snapshot()
    for saved, told in ((before, False), (after, True)):
        env.restore(saved)
        assert ("You fell" in env.step("jump")[0]) == told


def test_the_oracle_walks_along_the_edge() -> None:
    env = CliffWalkingEnv()
    env.reset(seed=0)
    walked = []
    while env._running:
        assert env.oracle() == Oracle(actions=(env.oracle().actions[0],), steps_left=13 - len(walked), value=-13.0)
        walked.append(env.oracle().actions[0])
        observation, *_, info = env.step(walked[-1])
    assert walked == ["up", *["right"] * 11, "down"]
    assert observation.startswith("You have reached the goal. You are at row 4, column 12.\n")
    assert info["success"]


def test_on_slippery_ground_it_keeps_away_from_the_edge() -> None:
    env = CliffWalkingEnv(is_slippery=True)
    _, info = env.reset(seed=0)
    assert "each with probability 1/3" in info["task"]
    assert info["task_id"] == "cliff-walking-slippery"
    known = env.oracle()
    assert (known.actions, known.certain, known.steps_left) == (("left",), False, 65)
    assert known.value == pytest.approx(-64.7091759099622)
