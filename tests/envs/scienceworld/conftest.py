"""ScienceWorld runs in Java: where there is none its tests are skipped; without the package only if they may be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from agentgym_critic.envs.scienceworld import ScienceWorldEnv
from agentgym_critic.errors import MissingExtraError


@pytest.fixture
def env() -> Iterator[ScienceWorldEnv]:
    """A short task, made easy."""
    try:
        env = ScienceWorldEnv("find-non-living-thing", simplifications="easy", max_steps=10)
    except MissingExtraError as error:
        if shutil.which("java") and os.environ.get("AGENTGYM_CRITIC_NO_SKIP"):
            pytest.fail(f"may not be skipped here: {error}")
        pytest.skip(str(error))
    yield env
    env.close()
