"""Opens a story in a process of its own first: on a spoilt header the interpreter exits, crashes or hangs.

A checksum does not cover the header. A story is tried out once, as long as its file stays as it is.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

from agentgym_critic.errors import ConfigError

__all__ = ["try_out"]

TIMEOUT_S = 30.0


def try_out(path: Path) -> None:
    """Open a story and give it a command.

    Raises:
        ConfigError: the interpreter did not survive it.
    """
    about = path.stat()
    if problem := _problem(path, about.st_mtime_ns, about.st_size, TIMEOUT_S):
        raise ConfigError(f"{path} cannot be played: {problem}; its header is damaged, get it anew")


@functools.lru_cache(maxsize=1024)
def _problem(path: Path, changed_ns: int, size: int, timeout_s: float) -> str:
    command = [sys.executable, "-P", "-W", "ignore", "-m", __name__, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return f"the interpreter had not opened it after {timeout_s:g} seconds"
    if done.returncode == 0:
        return ""
    said = (done.stderr or done.stdout).decode(errors="replace").strip()[-300:]
    return f"the interpreter ended with code {done.returncode} on it" + (f" ({said})" if said else "")


def _main(path: str) -> None:
    from jericho import FrotzEnv

    frotz = FrotzEnv(path)
    frotz.reset()
    frotz.get_dictionary()
    frotz.get_state()
    frotz.step("look")


if __name__ == "__main__":
    _main(sys.argv[1])
