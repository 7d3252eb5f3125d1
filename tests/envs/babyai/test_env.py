from __future__ import annotations

import pickle
import random
from typing import Any

import gymnasium
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.babyai import BabyAIEnv
from agentgym_critic.envs.babyai.words import ACTIONS
from agentgym_critic.errors import ConfigError, UnknownIdError
from agentgym_critic.types import Oracle


@pytest.mark.parametrize(
    "settings",
    [{}, {"level": "UnlockPickup", "max_steps": 40}, {"level": "PutNextS5N2Carrying"}, {"level": "KeyInBox"}],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/BabyAI-v0", **settings), seeds=(0, 1), steps=15)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["GoToSeq", "BossLevel", "OpenDoorsOrderN4", "MoveTwoAcrossS8N9"])
def test_large_levels_keep_every_promise(level: str) -> None:
    check_text_env(BabyAIEnv(level=level), seeds=(0, 1), steps=20)


@pytest.mark.parametrize("level", ["GoToLocal", "PickupDist", "UnlockPickup"])
def test_it_is_minigrid_s(level: str) -> None:
    env, plain = BabyAIEnv(level=level), gymnasium.make(f"BabyAI-{level}-v0").unwrapped
    for seed in range(6):
        rng = random.Random(seed)
        _, info = env.reset(seed=seed)
        seen, _ = plain.reset(seed=seed)
        while env._running:
            assert (env._seen["image"] == seen["image"]).all()
            action = rng.choice(info["admissible_actions"])
            seen, reward, terminated, truncated, _ = plain.step(ACTIONS[action])
            observed = env.step(action)
            info = observed[4]
            assert observed[1:4] == (reward, terminated, truncated and not terminated)
            assert info["success"] == (reward > 0)


def test_refused_actions_cost_what_they_cost_in_minigrid() -> None:
    env = BabyAIEnv()
    env.reset(seed=3)
    way = []
    while env._running:
        way.append(env.oracle().actions[0])
        _, reward, *_ = env.step(way[-1])
    assert reward == pytest.approx(1 - 0.9 * len(way) / 64)
    env.reset(seed=3)
    for _ in range(10):
        assert env.step("drop")[4]["invalid_reason"] == "You carry nothing."
    for action in way:
        _, reward, *_, info = env.step(action)
    assert reward == pytest.approx(1 - 0.9 * (len(way) + 10) / 64)
    assert info["success"]


def test_the_mission_is_the_task_and_each_start_a_task_of_its_own() -> None:
    env = BabyAIEnv()
    ids = set()
    for seed in range(10):
        _, info = env.reset(seed=seed)
        assert info["task"].lower().startswith(f"{env.inner.mission}. ")
        assert info["task_id"] == f"GoToLocal-{info['state_key'][:16]}"
        ids.add(info["task_id"])
    assert len(ids) == 10


def test_the_limit_is_the_mission_s_own_unless_set() -> None:
    env = BabyAIEnv(level="GoToSeqS5R2")
    limits = set()
    for seed in range(12):
        env.reset(seed=seed)
        assert env.max_steps == env.inner.max_steps
        limits.add(env.max_steps)
    assert len(limits) > 1
    env.reset(seed=0)
    saved, limit = env.snapshot(), env.max_steps
    while env.reset()[1] and env.max_steps == limit:
        pass
    env.restore(saved)
    assert env.max_steps == limit
    fixed = BabyAIEnv(max_steps=5)
    fixed.reset(seed=0)
    ends = [fixed.step("turn left")[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]


def test_the_oracle_follows_its_plan_and_makes_another_off_the_way() -> None:
    env = BabyAIEnv()
    env.reset(seed=3)
    known = env.oracle()
    assert (known.exact, known.certain) == (False, True)
    env.step(known.actions[0])
    assert env.oracle().steps_left == known.steps_left - 1
    other = next(action for action in ("turn left", "turn right") if action not in env.oracle().actions)
    env.step(other)
    left = env.oracle().steps_left
    for _ in range(left):
        *_, info = env.step(env.oracle().actions[0])
    assert info["success"]
    assert env.oracle() == Oracle(actions=(), steps_left=0)


def test_no_oracle_where_the_bot_fails() -> None:
    env = BabyAIEnv(level="KeyInBox")
    env.reset(seed=0)
    assert env.oracle() is None


def test_a_wrong_move_may_end_a_strict_level() -> None:
    env = BabyAIEnv(level="PickupDistDebug")
    for seed in range(30):
        _, info = env.reset(seed=seed)
        rng = random.Random(seed)
        while env._running:
            wanted = info["admissible_actions"]
            _, reward, terminated, _, info = env.step("pick up" if "pick up" in wanted else rng.choice(wanted))
        if terminated and not info["success"]:
            assert reward == 0.0
            assert env.oracle() is None
            return
    pytest.fail("no episode ended without success")


def test_snapshots_keep_plan_and_memory_and_are_good_elsewhere() -> None:
    env, other = BabyAIEnv(level="FindObjS5"), BabyAIEnv(level="FindObjS5")
    env.reset(seed=2)
    for _ in range(6):
        env.step(env.oracle().actions[0])
    saved, known, seen = env.snapshot(), env.oracle(), env._known.sum()
    for target in (env, other):
        if target is env:
            env.reset(seed=5)
        target.restore(pickle.loads(pickle.dumps(saved)))
        assert (target.oracle(), target._known.sum()) == (known, seen)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"level": "GoTo Local"}, UnknownIdError, "There is no BabyAI level 'GoTo Local'. Did you mean 'GoToLocal'"),
        ({"level": 3}, UnknownIdError, "There is no BabyAI level '3'"),
        ({"max_steps": 0}, ConfigError, "max_steps is at least 1, or None for no limit; got 0"),
        ({"max_steps": None}, ConfigError, "max_steps is at least 1, or 'own': the rewards of BabyAI need a limit"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BabyAIEnv(**settings)
