"""`NativeEngine`: our own simulator of ALFWorld's games, exact to the byte and fast."""

from __future__ import annotations

import hashlib
from typing import Any

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.native.operators import Operator
from agentgym_critic.envs.alfworld.native.world import World
from agentgym_critic.envs.alfworld.native.worlds import world_of
from agentgym_critic.errors import EnvError
from agentgym_critic.types import Oracle

__all__ = ["NativeEngine"]

NOTHING_HAPPENS = "Nothing happens."


class NativeEngine:
    """Plays compiled games; needs no package but this one."""

    version = "engine native 1"

    def __init__(self) -> None:
        self._game: Game | None = None
        self._world: World | None = None
        self._set(0)

    @property
    def admissible(self) -> list[str]:
        """The legal commands, sorted as the reference sorts them."""
        return list(self._look())

    @property
    def won(self) -> bool:
        """Whether the goal is reached."""
        return self._playing().goal.reached(self._state)

    def start(self, game: Game) -> str:
        """Begin `game` anew; a game that was played before by anyone is not compiled again."""
        if game is not self._game:
            self._game, self._world = game, world_of(game)
        world = self._playing()
        self._set(world.initial)
        return world.introduction

    def act(self, command: str) -> str:
        """Carry out a command; one that is not admissible is answered and changes nothing."""
        operator = self._operators().get(command.strip())
        if operator is None:
            return NOTHING_HAPPENS
        try:
            after = operator.applied(self._state)
            told = operator.told(after)
        except EnvError as error:
            raise self._blamed(error) from error
        self._set(after)
        return told

    def key(self) -> str:
        """A hash of the state: 32 hexadecimal digits."""
        state = self._state.to_bytes(self._playing().state_bytes, "little")
        return hashlib.blake2b(state, digest_size=16).hexdigest()

    def oracle(self) -> Oracle | None:
        """All optimal next commands and the exact number of steps to the goal; None if nothing leads there."""
        try:
            solution = self._playing().planner.solve(self._state)
        except EnvError as error:
            raise self._blamed(error) from error
        return solution and Oracle(actions=solution.commands, steps_left=solution.steps_left, exact=True)

    def save(self) -> int:
        """This state, an integer."""
        return self._state

    def restore(self, saved: int) -> None:
        """Return to a saved state of this game.

        Raises:
            EnvError: it is none; nothing has changed.
        """
        most = 8 * self._playing().state_bytes
        if type(saved) is not int or not 0 <= saved < 1 << most:
            seen = f"a number of {saved.bit_length()}" if type(saved) is int else type(saved).__name__
            raise EnvError(f"a saved state of this game in {self.version} is a number of up to {most} bits, got {seen}")
        self._set(saved)

    def close(self) -> None:
        """Forget the game; it is compiled again if nobody else plays it."""
        self._game = self._world = None

    def __getstate__(self) -> dict[str, Any]:
        """The game and its state."""
        return {"game": self._game, "state": self._state}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        """Go on from there."""
        self._game = saved["game"]
        self._world = None if self._game is None else world_of(self._game)
        self._set(saved["state"])

    def _set(self, state: int) -> None:
        self._state = state
        self._possible: dict[str, Operator] | None = None
        self._commands: list[str] | None = None

    def _look(self) -> list[str]:
        if self._commands is None:
            self._commands = sorted(self._operators())
        return self._commands

    def _operators(self) -> dict[str, Operator]:
        if self._possible is None:
            try:
                self._possible = self._playing().possible(self._state)
            except EnvError as error:
                raise self._blamed(error) from error
        return self._possible

    def _blamed(self, error: EnvError) -> EnvError:
        return error if self._game is None else self._game.fault(error)

    def _playing(self) -> World:
        if self._world is None:
            raise EnvError("no game is played; call start() first", "ALFWorld's native engine")
        return self._world
