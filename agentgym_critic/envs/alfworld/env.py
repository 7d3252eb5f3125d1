"""`AlfworldEnv`: which game is played, and what a player is told of it.

The simulator is an `Engine`. The observations are the engine's texts, unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agentgym_critic.envs.alfworld.engine import Engine
from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.source import GameSource
from agentgym_critic.envs.alfworld.splits import SplitReport
from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.errors import EnvError
from agentgym_critic.types import Oracle

__all__ = ["AlfworldEnv"]

TASK_PREFIX = "Your task is to: "


class AlfworldEnv(TextEnv):
    """Household tasks in text.

    The seed decides the game; ``reset(options={"game_id": …})`` plays a game by name. The
    reward is 1 for the step that completes the task, else 0.

    Args:
        engine: makes the simulator.
        games: what is played.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    episode_options = frozenset({"game_id"})

    def __init__(
        self,
        engine: Callable[[], Engine],
        games: GameSource,
        *,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        self._games = games
        self._engine = engine()
        self._game: Game | None = None
        self._goal = ""
        self._version = self.env_version = f"{games.version}, {self._engine.version}"

    @property
    def game_ids(self) -> tuple[str, ...] | None:
        """The games this environment draws from, in the order of the seeds, or None where they have no end."""
        return self._games.ids

    @property
    def split_report(self) -> SplitReport | None:
        """How the games here compare with the official split, or None where there is none."""
        return self._games.report

    def oracle(self) -> Oracle | None:
        """The optimal next commands and the steps to success, as far as the engine knows them; else None."""
        if self._success:
            return Oracle(actions=(), steps_left=0)
        return self._engine.oracle() if self._running else None

    def close(self) -> None:
        """Release the engine."""
        self._running, self._game = False, None
        self._engine.close()

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        game_id = options.get("game_id")
        game = self._games.pick(self.episode_seed) if game_id is None else self._games.require(str(game_id))
        introduction = self._engine.start(game)
        if self._engine.won:
            what = f"{game.path} is won before the first command, so it is no task; leave it out"
            raise EnvError(what, str(game.path))
        self._game, self._goal = game, introduction.rpartition(TASK_PREFIX)[2].strip()
        self.env_version = f"{self._version}, {game.dialect}"
        return introduction

    def _act(self, action: str) -> Outcome:
        text = self._engine.act(action)
        won = self._engine.won
        return Outcome(text, float(won), terminated=won, success=won)

    def _admissible(self) -> list[str]:
        return self._engine.admissible

    def _refused(self, action: str, reason: str) -> str:
        return "Nothing happens."

    def _get_world(self) -> Any:
        return self._playing().id, self._engine.save()

    def _set_world(self, world: Any) -> None:
        match world:
            case (str(game_id), saved):
                if game_id != self._playing().id:
                    raise EnvError(f"the snapshot is of game {game_id}, but {self._playing().id} is played", repr(self))
                self._engine.restore(saved)
            case _:
                raise EnvError(f"the snapshot is of no ALFWorld game, but holds a {type(world).__name__}", repr(self))

    def _state_key(self) -> str:
        return f"{self._playing().id}:{self._engine.key()}"

    def _task(self) -> tuple[str, str]:
        return self._playing().id, self._goal

    def _playing(self) -> Game:
        if self._game is None:
            raise EnvError("no game is played; call reset() first", repr(self))
        return self._game
