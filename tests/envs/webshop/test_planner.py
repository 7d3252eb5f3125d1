"""The oracle against an exhaustive search of every click, on small shops."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs.webshop import WebShopEnv, make_webshop


def shortest(env: WebShopEnv, limit: int) -> int | None:
    """The fewest steps to a reward of 1 by trying everything, each state once."""
    waiting, seen = deque([(env.snapshot(), 0)]), {env.current()[1]["state_key"]}
    while waiting:
        moment, steps = waiting.popleft()
        env.restore(moment)
        for action in env.current()[1]["admissible_actions"]:
            env.restore(moment)
            _, reward, terminated, _, info = env.step(action)
            if reward == 1.0:
                return steps + 1
            if not terminated and steps + 1 < limit and info["state_key"] not in seen:
                seen.add(info["state_key"])
                waiting.append((env.snapshot(), steps + 1))
    return None


@pytest.mark.parametrize("goals", ["synthetic", "human"])
def test_no_shorter_way_exists(goals: Any, shop_cache: Path) -> None:
    env = make_webshop(size=12, cache=shop_cache, goals=goals, nouns="words", offered_searches=True, max_steps=None)
    compared = 0
    for seed in range(12):
        env.reset(seed=seed)
        oracle, start = env.oracle(), env.snapshot()
        if oracle is None or oracle.steps_left > 5:
            continue
        assert oracle.exact
        assert shortest(env, oracle.steps_left) == oracle.steps_left
        env.restore(start)
        optimal = set()
        for action in env.current()[1]["admissible_actions"]:
            env.restore(start)
            env.step(action)
            after = env.oracle()
            if after is not None and after.steps_left == oracle.steps_left - 1:
                optimal.add(action)
        assert set(oracle.actions) == optimal
        compared += 1
    assert compared >= 3
