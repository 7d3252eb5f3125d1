from __future__ import annotations

import pickle
import random
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete, MultiDiscrete

from agentgym_critic.envs import TextEnv, check_text_env
from agentgym_critic.envs.adapter import AdaptedEnv, copy_shallow
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

LAKE = ["left", "down", "right", "up"]


class DialEnv(gymnasium.Env[np.ndarray, Any]):
    """Turn a dial to its goal. It jumps at random when pushed, and after six turns it is stuck: truncated."""

    def __init__(self) -> None:
        self.action_space = Discrete(3, start=-1)
        self.observation_space = MultiDiscrete([10, 10])
        self.shown = np.zeros(2, dtype=int)
        self.turns = 0
        self.closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.shown[:] = self.np_random.integers(10, size=2)
        self.turns = 0
        return self.shown, {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.turns += 1
        self.shown[0] = (self.shown[0] + action + (self.np_random.integers(3) if action == 0 else 0)) % 10
        there = bool(self.shown[0] == self.shown[1])
        return self.shown, np.float32(there), there, self.turns >= 6, {}

    def close(self) -> None:
        self.closed = True


def read(env: DialEnv, shown: np.ndarray) -> str:
    return f"The dial is at {shown[0]}, its goal is {shown[1]}."


def goal(env: DialEnv) -> str:
    return f"Turn the dial to {env.shown[1]}."


def stuck(env: DialEnv, action: str) -> str:
    return "It cannot be turned below 0." if action == "down" and env.shown[0] == 0 else ""


def way(env: DialEnv) -> Oracle:
    return Oracle(actions=("up",), steps_left=int((env.shown[1] - env.shown[0]) % 10) or 10)


def cell(env: Any, observation: Any) -> str:
    return f"You are in cell {observation}."


def number(env: Any) -> int:
    return int(env.s)


def dial(**settings: Any) -> AdaptedEnv:
    given = {"task": goal, "refuse": stuck, "oracle": way, "max_steps": 6}
    return TextEnv.from_gymnasium(DialEnv(), read, ["down", "push", "up"], **{**given, **settings})


def lake(**settings: Any) -> AdaptedEnv:
    return TextEnv.from_gymnasium(gymnasium.make("FrozenLake-v1"), cell, LAKE, **settings)


def any_of(env: Any, observation: Any, reward: float) -> bool:
    return True


@pytest.mark.parametrize(
    ("env_id", "actions", "settings", "single_task"),
    [
        ("FrozenLake-v1", LAKE, {"is_slippery": True}, True),
        ("FrozenLake-v1", LAKE, {"is_slippery": False, "map_name": "8x8"}, True),
        ("CliffWalking-v1", ["up", "right", "down", "left"], {}, True),
        ("Taxi-v4", ["south", "north", "east", "west", "pick up", "drop off"], {}, False),
        ("Blackjack-v1", ["stick", "hit"], {}, False),
        ("CartPole-v1", ["left", "right"], {}, False),
        ("Acrobot-v1", ["pull", "rest", "push"], {}, False),
        ("MountainCar-v0", ["left", "rest", "right"], {}, False),
    ],
)
def test_environments_of_gymnasium_keep_every_promise(
    env_id: str, actions: list[str], settings: dict[str, Any], single_task: bool
) -> None:
    success = any_of if env_id in ("CliffWalking-v1", "Taxi-v4") else None
    inner = gymnasium.make(env_id, **settings)
    env = TextEnv.from_gymnasium(inner, cell, actions, success=success)
    check_text_env(env, seeds=(0, 1), steps=12, single_task=single_task, another_process=False)


def test_one_with_everything_keeps_every_promise() -> None:
    check_text_env(dial(oracle=None), make=lambda: dial(oracle=None), another_process=False)


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_dynamics_are_untouched(wrapped: bool) -> None:
    plain = gymnasium.make("CartPole-v1").unwrapped
    inner = gymnasium.make("CartPole-v1")
    env = TextEnv.from_gymnasium(
        gymnasium.wrappers.TransformReward(inner, float) if wrapped else inner, cell, ["left", "right"]
    )
    for seed in range(5):
        rng = random.Random(seed)
        seen, _ = plain.reset(seed=seed)
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert observation == cell(plain, seen)
            action = rng.randrange(2)
            seen, *rest, _ = plain.step(action)
            observation, *ours, _ = env.step(["left", "right"][action])
            assert ours == rest
            over = rest[1]


def test_the_step_limit_is_the_registered_one_unless_set() -> None:
    assert [env.max_steps for env in (lake(), lake(max_steps=7), lake(max_steps=None), dial(max_steps="own"))] == [
        100,
        7,
        None,
        100,
    ]
    cart = TextEnv.from_gymnasium(gymnasium.make("CartPole-v1"), cell, ["left", "right"])
    assert cart.max_steps == 500


def test_a_world_may_cut_its_episode_off_itself() -> None:
    env = dial(max_steps=50)
    env.reset(seed=0)
    env.inner.shown[:] = 0, 9
    ends = [env.step("up")[2:4] for _ in range(6)]
    assert ends == [(False, False)] * 5 + [(False, True)]
    with pytest.raises(EnvError, match="the episode is over"):
        env.step("up")


def test_a_moment_before_such_an_end_is_no_end() -> None:
    env = dial(max_steps=50)
    env.reset(seed=0)
    env.inner.shown[:] = 0, 9
    saved = env.snapshot()
    while env._running:
        env.step("up")
    env.restore(saved)
    assert env.step("jump")[3] is False


def test_what_is_not_possible_is_explained_and_costs_a_step() -> None:
    env = dial()
    env.reset(seed=0)
    env.inner.shown[:] = 0, 5
    assert env._admissible() == ["push", "up"]
    observation, reward, _, _, info = env.step("down")
    assert observation == "It cannot be turned below 0.\n\nThe dial is at 0, its goal is 5."
    assert (reward, info["invalid_reason"], env.inner.turns) == (0.0, "It cannot be turned below 0.", 0)
    assert env.step("left")[4]["invalid_reason"] == "There is no action 'left'; the actions are down, push, up."


def test_the_task_is_told_from_the_world() -> None:
    env = dial()
    _, info = env.reset(seed=3)
    assert info["task"] == f"Turn the dial to {env.inner.shown[1]}."
    assert info["task_id"] == f"DialEnv-{info['state_key']}"
    assert lake().reset(seed=0)[1]["task"] == "Play FrozenLake-v1."
    named = lake(task="Cross.", task_id=lambda env: f"lake-{env.ncol}")
    assert named.reset(seed=0)[1]["task_id"] == "lake-4"
    assert named.current()[1]["task"] == "Cross."


def test_success_is_a_reward_at_the_end_unless_told_otherwise() -> None:
    for success, expected in ((None, True), (lambda env, seen, reward: reward > 1, False)):
        env = dial(success=success)
        env.reset(seed=0)
        env.inner.shown[:] = 4, 5
        _, reward, terminated, _, info = env.step("up")
        assert (reward, type(reward), terminated, info["success"]) == (1.0, float, True, expected)


def test_snapshots_are_exact_and_good_in_another_instance() -> None:
    env, other = dial(), dial()
    env.reset(seed=1)
    env.step("push")
    saved = env.snapshot()
    ahead = [env.step("push")[:4] for _ in range(2)]
    for target in (env, other):
        target.restore(pickle.loads(pickle.dumps(saved)))
        assert [target.step("push")[:4] for _ in range(2)] == ahead


def test_a_snapshot_holds_no_array_that_is_still_in_use() -> None:
    env = dial()
    env.reset(seed=1)
    saved, before = env.snapshot(), env.current()
    env.inner.shown[:] = 7
    env.restore(saved)
    assert (env._view(), env.current()) == (before[0], before)


def test_keys_leave_out_luck_and_may_be_given() -> None:
    for settings in ({}, {"state": number}):
        env = lake(copy=copy_shallow, **settings)
        keys = [env.reset(seed=seed)[1]["state_key"] for seed in range(3)]
        assert len(set(keys)) == 1
    env = lake(state=number)
    seen: dict[str, int] = {}
    for seed in range(5):
        _, info = env.reset(seed=seed)
        while env._running:
            assert seen.setdefault(info["state_key"], number(env.inner)) == number(env.inner)
            *_, info = env.step(random.Random(seed).choice(LAKE))
    assert len(set(seen.values())) == len(seen)


def test_the_oracle_of_a_table_is_best_play() -> None:
    env = lake()
    env.reset(seed=0)
    known = env.oracle()
    assert known.actions == ("left",)
    assert (known.exact, known.certain, known.steps_left) == (True, False, 49)
    assert known.value == pytest.approx(14 / 17, abs=1e-12)
    assert env.action_values() == pytest.approx(dict.fromkeys(LAKE, 14 / 17))
    dry = TextEnv.from_gymnasium(gymnasium.make("FrozenLake-v1", is_slippery=False), cell, LAKE)
    dry.reset(seed=0)
    assert dry.oracle() == Oracle(actions=("down", "right"), steps_left=6, value=1.0)
    for action in ("down", "down", "right", "down", "right", "right"):
        assert dry.oracle().value == 1.0
        dry.step(action)
    assert dry.oracle() == Oracle(actions=(), steps_left=0, value=1.0)
    assert dry.action_values() is None
    dry.reset(seed=0)
    dry.step("right")
    dry.step("down")
    assert (dry.oracle(), dry.action_values()) == (None, None)


def test_what_was_gained_counts_in_the_value() -> None:
    env = TextEnv.from_gymnasium(
        gymnasium.make("CliffWalking-v1"), cell, ["up", "right", "down", "left"], success=any_of
    )
    env.reset(seed=0)
    values = [env.oracle().value]
    for action in ("up", "up", "right"):
        env.step(action)
        values.append(env.oracle().value)
    assert values == [-13.0, -13.0, -15.0, -15.0]
    assert env.action_values() == {"up": -17.0, "right": -15.0, "down": -15.0, "left": -17.0}


def test_without_a_table_there_is_no_oracle_but_one_s_own() -> None:
    env = dial(oracle=None)
    env.reset(seed=0)
    assert (env.oracle(), env.action_values()) == (None, None)
    env = dial()
    env.reset(seed=0)
    env.inner.shown[:] = 3, 5
    assert env.oracle() == Oracle(actions=("up",), steps_left=2)
    env.step("up")
    env.step("up")
    assert env.oracle() == Oracle(actions=(), steps_left=0)


def test_closing_closes_the_environment_within() -> None:
    env = dial()
    env.reset(seed=0)
    env.close()
    assert env.inner.closed
    with pytest.raises(EnvError):
        env.step("up")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: TextEnv.from_gymnasium("CartPole-v1", cell, ["a"]), ConfigError, "only a gymnasium.Env can be "
         "adapted, got a str"),
        (lambda: lake(goal="Cross."), ConfigError, "TextEnv.from_gymnasium: got an unexpected keyword argument "
         "'goal'; it takes (env, describe, actions, *, task='',"),
        (lambda: lake(max_steps=0), ConfigError, "max_steps is at least 1, or None for no limit; got 0"),
        (
            lambda: TextEnv.from_gymnasium(gymnasium.make("CartPole-v1"), cell, ["left"]),
            ConfigError,
            "Discrete(2) has 2 actions, got 1 names: ['left']",
        ),
        (
            lambda: TextEnv.from_gymnasium(DialEnv(), lambda env, seen: seen[0], ["a", "b", "c"]).reset(seed=0),
            EnvError,
            "describe returned np.int64(8); return what the player sees, a string",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_adapted_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        make()
