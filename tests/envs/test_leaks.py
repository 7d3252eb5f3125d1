"""Every registered game written in Python: thousands of episodes leave nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from episodes import playable
from faulty_envs import LEAKY

from agentgym_critic.envs import env_ids, make_env
from agentgym_critic.errors import MissingDataError, MissingExtraError

NOT_PYTHON = {f"agentgym_critic/{name}-v0" for name in ("Jericho", "ScienceWorld", "TextWorld")}
"""Worlds in interpreters of other languages."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="resident memory is read from /proc"),
]


def growth(env_id: str) -> float:
    """By which share the memory of a process grows in 5,000 episodes, after a warm-up."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-m", "leaks", env_id], capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)
    return after / before - 1


@pytest.mark.parametrize("env_id", [env_id for env_id in env_ids() if env_id not in NOT_PYTHON])
def test_memory_stays_flat(env_id: str) -> None:
    try:
        make_env(env_id, **playable(env_id)).close()
    except (MissingDataError, MissingExtraError) as error:
        pytest.skip(str(error))
    assert growth(env_id) < 0.02


def test_a_leak_is_noticed() -> None:
    assert growth(f"faulty_envs:{LEAKY}") > 0.02
