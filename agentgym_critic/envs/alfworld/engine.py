"""`Engine`: what `AlfworldEnv` asks of the simulator that runs a game.

An engine plays one game at a time and knows nothing of splits, seeds or step limits.
"""

from __future__ import annotations

from typing import Any, Protocol

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.types import Oracle

__all__ = ["Engine"]


class Engine(Protocol):
    """A simulator of ALFWorld's games. It pickles, and its twin then goes on from the same state."""

    version: str
    """Names and versions of what decides the dynamics."""

    def start(self, game: Game) -> str:
        """Begin `game` anew and return its introduction.

        Raises:
            EnvError: the game file cannot be played.
        """

    def act(self, command: str) -> str:
        """Carry out a command and return what it says.

        One that is not admissible is answered as the reference answers it and changes nothing.
        """

    @property
    def admissible(self) -> list[str]:
        """The legal commands, sorted."""

    @property
    def won(self) -> bool:
        """Whether the goal is reached."""

    def key(self) -> str:
        """A hash of the full state of the game, equal exactly when the states are equal."""

    def oracle(self) -> Oracle | None:
        """What leads from this state to the goal, or None if nothing does or it is not known. Privileged."""

    def save(self) -> Any:
        """This state as an immutable value."""

    def restore(self, saved: Any) -> None:
        """Return to a state of this game that `save` gave.

        Raises:
            EnvError: it is none, or another engine's; nothing has changed.
        """

    def close(self) -> None:
        """Release what the engine holds; it is not used again."""
