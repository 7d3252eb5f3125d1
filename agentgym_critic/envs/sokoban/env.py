"""`SokobanEnv`: the game as a text environment. Levels, rules, solver and words are elsewhere in this folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.ranges import amount, is_whole
from agentgym_critic.envs.sokoban.collection import read_levels
from agentgym_critic.envs.sokoban.generate import Recipe, generate_level
from agentgym_critic.envs.sokoban.level import Level, Picture
from agentgym_critic.envs.sokoban.moves import moved, offsets
from agentgym_critic.envs.sokoban.places import Places
from agentgym_critic.envs.sokoban.solve import Solver
from agentgym_critic.envs.sokoban.vocabulary import Vocabulary, build_vocabulary
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
    view: Callable[[int, int], str]
    """The observation, of boxes and player."""
    floor: int
    offsets: dict[str, int]
    """By the word for the move."""
    room_key: str
    task_id: str
    goal: str


class SokobanEnv(TextEnv):
    """Push every box onto a target, in a level made from the seed and proven solvable, or read from a file.

    The observation is the level's picture, or its places in words, and nothing else; the task
    explains it. The reward is 1 for the step that solves the level and 0 otherwise, unless the
    settings below add to it. A level that has become unsolvable is played on until the step limit.

    Args:
        size: rows and columns, walls included; one number stands for both. None is 6 x 6.
        boxes: number of boxes, and of targets. None is 1.
        min_solution: moves of the shortest solution, at least. It also fits into `max_steps`. None is 5.
        levels: path of a text file of levels in XSB, which takes the place of the three settings
            above. The seed picks the level, or the option ``level`` of `reset`: its number, from 1.
        observation: ``"symbols"`` for the picture or ``"coordinates"`` for words.
        symbols: other symbols, by those of XSB that they replace: ``{"#": "W", "@": "P"}``.
        actions: other words for the moves, by the usual ones: ``{"up": "north"}``.
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
        size: int | Sequence[int] | NDArray[np.integer[Any]] | None = None,
        boxes: int | None = None,
        min_solution: int | None = None,
        levels: str | None = None,
        observation: Literal["symbols", "coordinates"] = "symbols",
        symbols: Mapping[str, str] | None = None,
        actions: Mapping[str, str] | None = None,
        step_penalty: float = 0.0,
        box_reward: float = 0.0,
        deadlock_info: bool = False,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        self._recipe = _recipe(size, boxes, min_solution, max_steps) if levels is None else None
        self._levels: tuple[Level, ...] = ()
        if levels is not None:
            _require_none(size=size, boxes=boxes, min_solution=min_solution)
            self._levels = read_levels(levels)
            self.episode_options = frozenset({"level"})  # only a file has numbered levels
        self._speech = _Speech(build_vocabulary(actions, symbols), observation)
        self._speech.check()
        self.step_penalty = amount("step_penalty", step_penalty)
        self.box_reward = amount("box_reward", box_reward)
        self.deadlock_info = deadlock_info
        self.illegal_action_reward = 0.0 - self.step_penalty
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
        words = self._speech.vocabulary.actions
        best = solver.best_actions(self._boxes, self._player)
        return Oracle(actions=tuple([words[action] for action in best]), steps_left=distance)

    def deadlocked(self) -> bool | None:
        """Whether the level can no longer be solved; None if the search gave up. Privileged."""
        solvable = self._stage.solver.solvable(self._boxes, self._player)
        return None if solvable is None else not solvable

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        if self._recipe:
            level, solver = generate_level(rng, self._recipe)
            self._played = _build_stage(level, solver, self._speech)
            self._boxes, self._player = level.boxes, level.player
        else:
            level = self._levels[options.get("level", int(rng.integers(len(self._levels))) + 1) - 1]
            self._set_world((level, level.boxes, level.player))
        return self._view()

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        if "level" in options:
            _require_number(options["level"], len(self._levels))

    def _act(self, action: str) -> Outcome:
        state, targets = self._after(action), self._stage.level.targets
        assert state is not None, "_refusal lets through only what changes the state"
        gained = (state[0] & targets).bit_count() - (self._boxes & targets).bit_count()
        self._boxes, self._player = state
        won = self._boxes == targets
        return Outcome(self._view(), won - self.step_penalty + gained * self.box_reward, won, won)

    def _admissible(self) -> list[str]:
        return [action for action in self._stage.offsets if self._after(action)]

    def _refusal(self, action: str) -> str:
        stage = self._stage
        if action in stage.offsets and self._after(action):
            return ""
        offset = stage.offsets.get(action)
        return refusal(action, self._boxes, self._player, stage.floor, offset, self._speech.vocabulary)

    def _view(self) -> str:
        return self._stage.view(self._boxes, self._player)

    def _get_world(self) -> World:
        return self._stage.level, self._boxes, self._player

    def _set_world(self, world: World) -> None:
        level, self._boxes, self._player = world
        if self._played is None or self._played.level != level:
            self._played = _build_stage(level, Solver(level), self._speech)

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


class _Speech(NamedTuple):
    """How levels are spoken of."""

    vocabulary: Vocabulary
    observation: str

    def check(self) -> None:
        """Refuse views that do not exist, and settings without effect."""
        if self.observation not in ("symbols", "coordinates"):
            raise ConfigError(f"observation is 'symbols' or 'coordinates', got {self.observation!r}")
        if self.observation == "coordinates" and self.vocabulary.renames_symbols:
            raise ConfigError("symbols has no effect with observation='coordinates', which draws none; leave one out")

    def view(self, level: Level) -> Callable[[int, int], str]:
        """What makes observations of a level."""
        if self.observation == "coordinates":
            return Places(level).tell
        return Picture(level, self.vocabulary.symbols).draw


def _build_stage(level: Level, solver: Solver, speech: _Speech) -> _Stage:
    boxes = level.boxes.bit_count()
    words = speech.vocabulary.actions
    return _Stage(
        level=level,
        solver=solver,
        view=speech.view(level),
        floor=level.floor,
        offsets={words[action]: offset for action, offset in offsets(level.cols).items()},
        room_key=_digest(level._replace(boxes=0, player=0)),
        task_id=f"{level.rows}x{level.cols}-{boxes}-{_digest(level)}",
        goal=goal(boxes, speech.vocabulary, symbols=speech.observation == "symbols"),
    )


def _recipe(size: object, boxes: int | None, min_solution: int | None, max_steps: int | None) -> Recipe:
    rows, cols = _rows_and_cols((6, 6) if size is None else size)
    recipe = Recipe(
        rows, cols, 1 if boxes is None else boxes, 5 if min_solution is None else min_solution, max_solution=max_steps
    )
    recipe.check()
    return recipe


def _require_none(**asked: object) -> None:
    """Refuse settings of generated levels where levels come from a file."""
    if given := [f"{name}={value!r}" for name, value in asked.items() if value is not None]:
        raise ConfigError(f"the levels of a file are as they are; leave out {', '.join(given)}, or levels")


def _require_number(number: Any, count: int) -> None:
    if not is_whole(number) or not 1 <= number <= count:
        raise ConfigError(f"level is a number from 1 to {count}, got {number!r}")


def _rows_and_cols(size: object) -> tuple[int, int]:
    listed = size.tolist() if isinstance(size, np.ndarray) else size
    pair = (listed, listed) if isinstance(listed, int) else listed
    if isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(number, int) for number in pair):
        return pair[0], pair[1]
    raise ConfigError(f"size is rows and columns, or one number for both; got {size!r}")


def _digest(level: Level) -> str:
    return hashlib.blake2b(repr(tuple(level)).encode(), digest_size=8).hexdigest()
