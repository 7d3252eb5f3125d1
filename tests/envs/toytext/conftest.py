"""Gymnasium's own environment beside ours."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from agentgym_critic.envs.adapter import AdaptedEnv


@pytest.fixture
def plays_like() -> Callable[[AdaptedEnv, Any], None]:
    """Fails unless the same seeds and actions give the same observations, rewards and endings in both."""

    def compare(ours: AdaptedEnv, theirs: Any) -> None:
        for seed in range(12):
            rng = random.Random(seed)
            ours.reset(seed=seed)
            seen, _ = theirs.reset(seed=seed)
            assert ours._seen == seen
            for _ in range(40):
                name = rng.choice(list(ours._actions))
                seen, *given, _ = theirs.step(ours._actions[name])
                assert [*ours.step(name)[1:3], False] == given
                assert ours._seen == seen
                if given[1]:
                    break

    return compare
