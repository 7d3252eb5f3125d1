"""`SokobanEnv`: the game as a text environment. Levels, rules, solver and words are elsewhere in this folder."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.sokoban.generate import Recipe, generate_level
from agentgym_critic.envs.sokoban.level import Level, Picture
from agentgym_critic.envs.sokoban.moves import ACTIONS, moved, offsets
from agentgym_critic.envs.sokoban.solve import Solver
from agentgym_critic.envs.sokoban.words import goal, refusal
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["SokobanEnv"]

World: TypeAlias = tuple[Level, int, int]
"""The level as it began, the boxes' mask, the player's mask."""


class _Stage(NamedTuple):
    """All that stays the same while a level is played."""

    level: Level
    solver: Solver
    picture: Picture
    floor: int
    offsets: dict[str, int]
    room_key: str
    task_id: str
    goal: str


class SokobanEnv(TextEnv):
    """Push every box onto a target, in a level made from the seed and proven solvable.

    The observation is the level's picture and nothing else; the task explains its symbols. The
    reward is 1 for the step that solves the level and 0 otherwise, unless the settings below
    add to it. A level that has become unsolvable is played on until the step limit.

    Args:
        size: rows and columns, walls included; one number stands for both.
        boxes: number of boxes, and of targets.
        min_solution: moves of the shortest solution, at least. It also fits into `max_steps`.
        step_penalty: taken off the reward of every step, illegal ones included.
        box_reward: given for a box that comes onto a target, taken for one that leaves it.
        deadlock_info: whether ``info["deadlock"]`` tells what `deadlocked` does. Privileged.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused; `reset` raises it if no level of these settings is found.
    """

    def __init__(
        self,
        *,
        size: int | Sequence[int] | NDArray[np.integer[Any]] = (6, 6),
        boxes: int = 1,
        min_solution: int = 5,
        step_penalty: float = 0.0,
        box_reward: float = 0.0,
        deadlock_info: bool = False,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        for name, value in (("step_penalty", step_penalty), ("box_reward", box_reward)):
            if not 0 <= value < math.inf:
                raise ConfigError(f"{name} is a finite number from 0, got {value!r}")
        self.recipe = Recipe(*_rows_and_cols(size), boxes, min_solution, max_solution=max_steps)
        self.recipe.check()
        self.step_penalty = step_penalty
        self.box_reward = box_reward
        self.deadlock_info = deadlock_info
        self.illegal_action_reward = 0.0 - step_penalty
        self._played: _Stage | None = None
        self._boxes = self._player = 0

    @property
    def level(self) -> Level:
        """The level of this episode, as it began.

        Raises:
            EnvError: no episode has been started.
        """
        return self._stage.level

    def oracle(self) -> Oracle | None:
        """All moves that begin a shortest solution, and its length; None if there is no solution.

        Exact. In levels too large to be searched to the end it is also None where the search
        gave up; `deadlocked` tells which.
        """
        solver = self._stage.solver
        distance = solver.distance(self._boxes, self._player)
        if distance is None:
            return None
        return Oracle(actions=solver.best_actions(self._boxes, self._player), steps_left=distance)

    def deadlocked(self) -> bool | None:
        """Whether the level can no longer be solved; None if the search gave up. Privileged."""
        solvable = self._stage.solver.solvable(self._boxes, self._player)
        return None if solvable is None else not solvable

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        level, solver = generate_level(rng, self.recipe)
        self._played = _build_stage(level, solver)
        self._boxes, self._player = level.boxes, level.player
        return self._view()

    def _act(self, action: str) -> Outcome:
        state, targets = self._after(action), self._stage.level.targets
        assert state is not None, "_refusal lets through only what changes the state"
        gained = (state[0] & targets).bit_count() - (self._boxes & targets).bit_count()
        self._boxes, self._player = state
        won = self._boxes == targets
        return Outcome(self._view(), won - self.step_penalty + gained * self.box_reward, won, won)

    def _admissible(self) -> list[str]:
        return [action for action in ACTIONS if self._after(action)]

    def _refusal(self, action: str) -> str:
        stage = self._stage
        if action in stage.offsets and self._after(action):
            return ""
        return refusal(action, self._boxes, self._player, stage.floor, stage.offsets.get(action))

    def _view(self) -> str:
        return self._stage.picture.draw(self._boxes, self._player)

    def _get_world(self) -> World:
        return self._stage.level, self._boxes, self._player

    def _set_world(self, world: World) -> None:
        level, self._boxes, self._player = world
        if self._played is None or self._played.level != level:
            self._played = _build_stage(level, Solver(level))

    def _state_key(self) -> str:
        return f"{self._stage.room_key}:{self._boxes:x}:{self._player:x}"

    def _task(self) -> tuple[str, str]:
        return self._stage.task_id, self._stage.goal

    def _info(self) -> dict[str, Any]:
        info = super()._info()
        return {**info, "deadlock": self.deadlocked()} if self.deadlock_info else info

    def _after(self, action: str) -> tuple[int, int] | None:
        stage = self._stage
        return moved(self._boxes, self._player, stage.floor, stage.offsets[action])

    @property
    def _stage(self) -> _Stage:
        if self._played is None:
            raise EnvError("no level is played; call reset() first", repr(self))
        return self._played


def _build_stage(level: Level, solver: Solver) -> _Stage:
    boxes = level.boxes.bit_count()
    return _Stage(
        level=level,
        solver=solver,
        picture=Picture(level),
        floor=level.floor,
        offsets=offsets(level.cols),
        room_key=_digest(level._replace(boxes=0, player=0)),
        task_id=f"{level.rows}x{level.cols}-{boxes}-{_digest(level)}",
        goal=goal(boxes),
    )


def _rows_and_cols(size: object) -> tuple[int, int]:
    listed = size.tolist() if isinstance(size, np.ndarray) else size
    pair = (listed, listed) if isinstance(listed, int) else listed
    if isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(number, int) for number in pair):
        return pair[0], pair[1]
    raise ConfigError(f"size is rows and columns, or one number for both; got {size!r}")


def _digest(level: Level) -> str:
    return hashlib.blake2b(repr(tuple(level)).encode(), digest_size=8).hexdigest()
