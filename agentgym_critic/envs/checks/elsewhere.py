"""Plays episodes in a process of its own, which shares nothing with this one but the environment's pickled form.

Its strings have other hashes, so that sets have another order, and the environment's module is
the first that it imports. It judges nothing: `repeating` compares.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks.bench import Moment, play

__all__ = ["play_elsewhere"]

_TIMEOUT_S = 600.0


def play_elsewhere(env: TextEnv, seeds: Sequence[int], steps: int) -> dict[int, list[Moment]]:
    """Random episodes of a copy of `env`, by seed.

    Empty if `env` cannot be pickled, which another rule reports, or if its class is defined where no
    other process finds it: in a script, a notebook, a module of tests.

    Raises:
        Exception: whatever the copy raised there.
        RuntimeError: the process died; the message is what it said last.
    """
    try:
        request = pickle.dumps((pickle.dumps(env), tuple(seeds), steps))
    except Exception:
        return {}
    hashes = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    environ = {**os.environ, "PYTHONHASHSEED": hashes, "PYTHONPATH": path}
    command = [sys.executable, "-P", "-W", "ignore", "-m", __name__]
    done = subprocess.run(command, input=request, capture_output=True, env=environ, timeout=_TIMEOUT_S)
    if done.returncode:
        raise RuntimeError(f"another process died: {done.stderr.decode(errors='replace').strip()[-300:]}")
    episodes, error = pickle.loads(done.stdout)  # noqa: S301 -- our own process
    if error is not None:
        raise error
    return dict(episodes)


def _answer(request: bytes) -> tuple[dict[int, list[Moment]], Exception | None]:
    copy, seeds, steps = pickle.loads(request)  # noqa: S301 -- our own bytes
    try:
        env = pickle.loads(copy)  # noqa: S301
    except (AttributeError, ImportError):
        return {}, None
    with closing(env):
        try:
            return {seed: list(play(env, seed, steps)) for seed in seeds}, None
        except Exception as error:
            error.add_note(traceback.format_exc())
            return {}, error


if __name__ == "__main__":
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what an environment prints is no answer
    out.write(pickle.dumps(_answer(sys.stdin.buffer.read())))
