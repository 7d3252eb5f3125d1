"""`ScriptedAgent`: plays a fixed list of commands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.types import Action, Turn

__all__ = ["ScriptedAgent"]


class ScriptedAgent:
    """Plays step `i` of its script at step `i` of the episode.

    Args:
        script: the commands.
        path: a UTF-8 text file with one command a line, instead of `script`.
        repeat: start over when the script runs out, instead of raising.

    Raises:
        ConfigError: not exactly one of `script` and `path` is given, the file cannot be read,
            or there are no commands.
    """

    def __init__(
        self, script: Sequence[str] | None = None, *, path: str | Path | None = None, repeat: bool = False
    ) -> None:
        if (script is None) == (path is None):
            raise ConfigError("a ScriptedAgent takes either a script or a path")
        if isinstance(script, str):
            raise ConfigError(f"script is a list of commands, got the string {script!r}; name a file with path=")
        self._script = tuple(script) if path is None and script is not None else _read(Path(str(path)))
        if not self._script:
            raise ConfigError("the script has no commands")
        self._repeat = repeat

    @property
    def id(self) -> str:
        """The name and a hash of the script."""
        digest = hashlib.sha256("\n".join(self._script).encode(errors="replace")).hexdigest()[:8]
        return f"scripted({digest}{', repeat' if self._repeat else ''})"

    def reset(self, seed: int) -> None:
        """Nothing to forget: what is played depends on the step alone."""

    def propose(self, turn: Turn) -> Action:
        """The command of this step.

        Raises:
            AgentError: the script has run out.
        """
        length = len(self._script)
        if turn.index >= length and not self._repeat:
            raise AgentError(f"the script ran out at step {turn.index}: it has {length} commands", self.id)
        return Action(text=self._script[turn.index % length])


def _read(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as cause:
        raise ConfigError(f"the script {path} cannot be read: {cause}") from cause
    return tuple(line.strip() for line in lines if line.strip())
