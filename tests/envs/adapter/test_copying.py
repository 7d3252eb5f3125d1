from __future__ import annotations

import gymnasium
import pytest

from agentgym_critic.envs.adapter import copy_env, copy_shallow

ACTIONS = [1, 2, 0, 3, 2, 2, 1, 1, 0, 2]


@pytest.mark.parametrize("copied", [copy_env, copy_shallow])
def test_a_copy_goes_on_as_the_original_would(copied) -> None:
    env = gymnasium.make("FrozenLake-v1").unwrapped
    env.reset(seed=5)
    twin = copied(env)
    assert [env.step(action)[0] for action in ACTIONS] == [twin.step(action)[0] for action in ACTIONS]


@pytest.mark.parametrize("copied", [copy_env, copy_shallow])
def test_a_copy_is_not_touched_by_the_original(copied) -> None:
    env = gymnasium.make("FrozenLake-v1").unwrapped
    env.reset(seed=5)
    twin = copied(env)
    before = twin.s, twin.np_random.bit_generator.state
    for action in ACTIONS:
        env.step(action)
    assert (twin.s, twin.np_random.bit_generator.state) == before
    assert twin.P is env.P
    assert twin.action_space is env.action_space


def test_wrappers_are_copied_with_what_they_wrap() -> None:
    env = gymnasium.wrappers.FrameStackObservation(gymnasium.make("CartPole-v1"), 2)
    env.reset(seed=1)
    env.step(1)
    twin = copy_env(env)
    assert twin.env is not env.env
    assert twin.unwrapped is not env.unwrapped
    assert (twin.step(0)[0] == env.step(0)[0]).all()
    assert twin.observation_space is env.observation_space
