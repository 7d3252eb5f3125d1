"""Where ships can lie, and how a fleet is drawn.

A set of cells is an integer: bit ``row * cols + col`` is that cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.ranges import is_whole, whole
from agentgym_critic.errors import ConfigError, abridged

__all__ = ["MAX_CELLS", "MAX_SHIPS", "Waters", "cells", "draw_fleet", "lengths", "placements"]

MAX_CELLS = 64
"""Cells of a board, at most: a set of them fits into a machine word."""

MAX_SHIPS = 6

BATCH = 512
"""Fleets drawn together."""

BATCHES = 100
"""Batches drawn before the fleet is given up."""


class Waters(NamedTuple):
    """The board and the lengths of the ships on it."""

    rows: int
    cols: int
    fleet: tuple[int, ...]
    """Lengths, the longest first."""

    def check(self) -> None:
        """Refuse what cannot be, or is too crowded to draw fairly.

        Raises:
            ConfigError: a number is out of range; the message says which and what it may be.
        """
        for name, value in (("rows", self.rows), ("cols", self.cols)):
            whole(name, value, 1, 26)
        if self.rows * self.cols > MAX_CELLS:
            raise ConfigError(f"a board has at most {MAX_CELLS} cells, got {self.rows} x {self.cols}")
        if not 1 <= len(self.fleet) <= MAX_SHIPS:
            raise ConfigError(f"a fleet has from 1 to {MAX_SHIPS} ships, got {len(self.fleet)}")
        longest = max(self.rows, self.cols)
        for length in self.fleet:
            if not is_whole(length) or not 1 <= length <= longest:
                raise ConfigError(
                    f"a ship is from 1 to {longest} cells long on {self.rows} x {self.cols}, got {abridged(length)}"
                )
        if 2 * sum(self.fleet) > self.rows * self.cols:
            raise ConfigError(
                f"ships take at most half of the board: {sum(self.fleet)} of {self.rows * self.cols} cells are too many"
            )
        draw_fleet(np.random.default_rng(0), self)


@lru_cache(maxsize=256)
def placements(rows: int, cols: int, length: int) -> NDArray[np.uint64]:
    """All straight ships of a length, each once: uint64 `[n]`, read-only."""
    across = {_line(row * cols + col, 1, length) for row in range(rows) for col in range(cols - length + 1)}
    down = {_line(row * cols + col, cols, length) for row in range(rows - length + 1) for col in range(cols)}
    found = np.array(sorted(across | down), dtype=np.uint64)
    found.setflags(write=False)
    return found


def draw_fleet(rng: np.random.Generator, waters: Waters) -> tuple[int, ...]:
    """One mask a ship, every arrangement without overlaps with the same chance. Ships may touch.

    Raises:
        ConfigError: the board is so crowded that none was found.
    """
    options = [placements(waters.rows, waters.cols, length) for length in waters.fleet]
    for _ in range(BATCHES):
        drawn = [ships[rng.integers(len(ships), size=BATCH)] for ships in options]
        taken, free = np.zeros(BATCH, dtype=np.uint64), np.ones(BATCH, dtype=bool)
        for ships in drawn:
            free &= taken & ships == 0
            taken |= ships
        if free.any():
            first = int(np.argmax(free))
            return tuple(int(ships[first]) for ships in drawn)
    raise ConfigError(
        f"no arrangement of the fleet {list(waters.fleet)} on {waters.rows} x {waters.cols} was found in "
        f"{BATCH * BATCHES} tries; take fewer or shorter ships"
    )


def cells(mask: int) -> Iterator[int]:
    """The numbers of the cells of a set, ascending.

    >>> list(cells(0b10110))
    [1, 2, 4]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _line(start: int, stride: int, length: int) -> int:
    return sum(1 << start + stride * place for place in range(length))


def lengths(fleet: Sequence[int]) -> tuple[int, ...]:
    """The fleet with the longest ship first."""
    return tuple(sorted(fleet, reverse=True))
