"""Every registered game: a group of the same seed is one episode, in threads, processes and after any imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import pytest
from episodes import digest, playable

from agentgym_critic.envs import env_ids, make_env
from agentgym_critic.errors import MissingDataError, MissingExtraError

NOT_PYTHON = {f"agentgym_critic/{name}-v0" for name in ("Jericho", "ScienceWorld", "TextWorld")}
"""Their worlds run in interpreters of other languages, and take long; they have tests of their own."""


def _runs_here(env_id: str) -> bool:
    try:
        make_env(env_id, **playable(env_id)).close()
    except (MissingDataError, MissingExtraError):
        return False
    return True


GAMES = [env_id for env_id in env_ids() if env_id not in NOT_PYTHON and _runs_here(env_id)]
MODULES = sorted({str(gymnasium.spec(env_id).entry_point).partition(":")[0] for env_id in GAMES})


@pytest.fixture(scope="module")
def digests() -> dict[str, str]:
    """Each game's episode, played here and now."""
    return {env_id: digest(env_id) for env_id in GAMES}


def test_all_games_are_there() -> None:
    assert {"agentgym_critic/Sokoban-v0", "agentgym_critic/ALFWorld-v0", "agentgym_critic/WebShop-v0"} <= set(GAMES)


@pytest.mark.parametrize("env_id", GAMES)
def test_copies_are_alike_whatever_the_global_generators_say(env_id: str, digests: dict[str, str]) -> None:
    assert digest(env_id, noise=1000) == digests[env_id]
    assert digest(env_id, seed=4) != digests[env_id]


@pytest.mark.parametrize("env_id", GAMES)
def test_copies_in_threads_are_alike(env_id: str, digests: dict[str, str]) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(digest, [env_id] * 4)) == {digests[env_id]}


@pytest.mark.parametrize(
    ("modules", "hashes"),
    [(MODULES, "1"), (MODULES[::-1], "2"), (["hypothesis", "msgspec", *MODULES[1::2], *MODULES[::2]], "3")],
    ids=["sorted", "reversed", "mixed"],
)
def test_copies_in_processes_are_alike_whatever_was_imported_first(
    modules: list[str], hashes: str, digests: dict[str, str]
) -> None:
    environ = {**os.environ, "PYTHONHASHSEED": hashes, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "episodes", *modules, "--", *GAMES]
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == digests
