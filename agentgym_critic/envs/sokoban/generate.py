"""Levels from random numbers: a room, targets in it, and a start that a solver has measured.

A start is drawn from the states that the search backwards from success has reached, so it is
solvable, and the length of its shortest solution is known, before it is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agentgym_critic.envs.ranges import is_whole
from agentgym_critic.envs.sokoban.level import Level, cells
from agentgym_critic.envs.sokoban.solve import Solver
from agentgym_critic.errors import ConfigError

__all__ = ["Recipe", "generate_level"]

WALL_SHARE = 0.2
"""Chance that a cell inside the border is a wall."""

TRIES = 200
"""Rooms tried for one level."""

SEARCH_LIMIT = 200_000
"""Layer entries that all rooms tried for one level may cost together."""


class Recipe(NamedTuple):
    """What a level is to be like."""

    rows: int
    cols: int
    boxes: int
    min_solution: int
    """Moves of the shortest solution, at least."""
    max_solution: int | None = None
    """Moves of the shortest solution, at most; None for any."""

    def check(self) -> None:
        """Refuse what no level can be.

        Raises:
            ConfigError: a number is out of range; the message says which and what it may be.
        """
        for name, value in (("boxes", self.boxes), ("min_solution", self.min_solution)):
            if not is_whole(value):
                raise ConfigError(f"{name} is a whole number, got {value!r}")
        if not (3 <= self.rows <= 50 and 3 <= self.cols <= 50):
            raise ConfigError(f"size counts the walls: from 3 to 50 rows and columns, got {self.rows} x {self.cols}")
        most = (self.rows - 2) * (self.cols - 2) - 2
        if not 1 <= self.boxes <= most:
            raise ConfigError(
                f"boxes is at least 1, and leaves room to move: at most {max(most, 0)} in a level of "
                f"{self.rows} x {self.cols}; got {self.boxes}"
            )
        if self.min_solution < 1:
            raise ConfigError(f"min_solution is at least 1 move, got {self.min_solution}")
        if self.max_solution is not None and self.max_solution < self.min_solution:
            raise ConfigError(
                f"no solution of at least min_solution={self.min_solution} moves fits into {self.max_solution} steps; "
                "raise max_steps or lower min_solution"
            )


def generate_level(rng: np.random.Generator, recipe: Recipe) -> tuple[Level, Solver]:
    """A level, and the solver that has measured it.

    Raises:
        ConfigError: no room of `TRIES`, or of as many as `SEARCH_LIMIT` allows, has such a level.
    """
    longest, left, tries = -1, SEARCH_LIMIT, 0
    while tries < TRIES and left > 0:
        tries += 1
        room = _room(rng, recipe)
        if room is None:
            continue
        solver = Solver(room)
        solver.explore(recipe.max_solution)
        if start := _start(rng, solver, recipe):
            return room._replace(boxes=start[0], player=start[1]), solver
        longest, left = max(longest, solver.depth), left - solver.expanded
    raise ConfigError(
        f"no level of {recipe.rows} x {recipe.cols} with boxes={recipe.boxes} and "
        f"min_solution={recipe.min_solution} was found in {tries} random rooms: "
        + ("the boxes fit into none" if longest < 0 else f"the longest shortest solution there has length {longest}")
        + "; lower min_solution or boxes, or raise size"
    )


def _room(rng: np.random.Generator, recipe: Recipe) -> Level | None:
    """A connected room with its targets; None if it has no space for boxes and player."""
    rows, cols = recipe.rows, recipe.cols
    inside = [1 << row * cols + col for row in range(1, rows - 1) for col in range(1, cols - 1)]
    draws = rng.random(len(inside) + recipe.boxes + 1).tolist()
    floor = sum(bit for bit, draw in zip(inside, draws, strict=False) if draw >= WALL_SHARE)
    floor = _connected(_nth(floor, draws[-1]), floor, cols)
    if floor.bit_count() <= recipe.boxes:
        return None
    targets = 0
    for draw in draws[len(inside) : -1]:
        targets |= _nth(floor & ~targets, draw)
    return Level(rows, cols, (1 << rows * cols) - 1 ^ floor, targets, boxes=targets, player=0)


def _start(rng: np.random.Generator, solver: Solver, recipe: Recipe) -> tuple[int, int] | None:
    """A state whose distance from success is as asked for, each with the same chance."""
    last = None if recipe.max_solution is None else recipe.max_solution + 1
    entries = [entry for layer in solver.layers[recipe.min_solution : last] for entry in layer.items()]
    total = sum(players.bit_count() for _, players in entries)
    chosen = int(rng.random() * total)
    for boxes, players in entries:
        count = players.bit_count()
        if chosen < count:
            return boxes, list(cells(players))[chosen]
        chosen -= count
    return None


def _nth(mask: int, draw: float) -> int:
    """One bit of a mask, chosen by a number in [0, 1); 0 if the mask is empty."""
    bits = list(cells(mask))
    return bits[int(draw * len(bits))] if bits else 0


def _connected(start: int, floor: int, cols: int) -> int:
    """The cells of `floor` that can be walked to from `start`."""
    reached, before = start, 0
    while reached != before:
        before = reached
        reached |= (reached << 1 | reached >> 1 | reached << cols | reached >> cols) & floor
    return reached
