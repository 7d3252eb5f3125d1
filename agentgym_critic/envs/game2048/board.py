"""The board of 2048 and its moves, without the tiles that chance adds.

A board is `bytes`, one a cell, row after row: 0 for an empty cell, else the tile's *level*. The
smallest tile has level 1, and two tiles of level ``k`` merge into one of level ``k + 1``. A line
is a row or column of it. What sliding does to a line is worked out once and then looked up.
"""

from __future__ import annotations

from itertools import compress
from operator import itemgetter
from typing import NamedTuple

__all__ = ["ACTIONS", "CUTS", "Lines", "Slide", "empty_cells", "lines_of", "slide"]

ACTIONS = ("down", "left", "right", "up")
"""All actions, sorted."""

KNOWN_LINES = 200_000
"""Lines kept in the table before it is begun anew; those of 4 x 4 are half as many."""

_LEGAL = [
    [action for action, bit in (("down", 8), ("left", 1), ("right", 2), ("up", 4)) if bits & bit] for bits in range(16)
]
"""Legal actions by what is movable: two bits of the rows, and two of the columns above them."""


class Slide(NamedTuple):
    """What becomes of a line that slides towards its first cell, and towards its last."""

    first: bytes
    first_merged: int
    """Sum of ``2 ** level`` over the tiles that arose by merging."""
    last: bytes
    last_merged: int
    movable: int
    """Bit 0: sliding towards the first cell changes the line; bit 1: towards the last."""


def slide(line: bytes) -> Slide:
    r"""Both slides of a line. A tile merges once a move, those nearest to where they slide first.

    >>> slide(bytes([1, 1, 1, 0]))
    Slide(first=b'\x02\x01\x00\x00', first_merged=4, last=b'\x00\x00\x01\x02', last_merged=4, movable=3)
    """
    first, first_merged = _towards_first(line)
    mirrored, last_merged = _towards_first(line[::-1])
    last = mirrored[::-1]
    return Slide(first, first_merged, last, last_merged, (first != line) | (last != line) << 1)


def _towards_first(line: bytes) -> tuple[bytes, int]:
    tiles: list[int] = []
    merged, open_ = 0, False
    for level in line.replace(b"\0", b""):
        if open_ and tiles[-1] == level:
            tiles[-1] += 1
            merged += 2 << level
            open_ = False
        else:
            tiles.append(level)
            open_ = True
    return bytes(tiles).ljust(len(line), b"\0"), merged


class _Slides(dict[bytes, Slide]):
    """The table: works out a line when it is first looked up."""

    def __missing__(self, line: bytes) -> Slide:
        if len(self) >= KNOWN_LINES:
            self.clear()
        self[line] = found = slide(line)
        return found


_look_up = _Slides().__getitem__


def _cuts(size: int) -> tuple[slice, ...]:
    rows = [slice(start, start + size) for start in range(0, size * size, size)]
    return (*rows, *[slice(column, None, size) for column in range(size)])


CUTS = {size: _cuts(size) for size in range(2, 9)}
"""For each size the rows of a board and then its columns, as slices."""

_TURN = {size: itemgetter(*[size * col + row for row in range(size) for col in range(size)]) for size in CUTS}
"""For each size what reads the columns of a board as rows."""

_CELLS = range(64)
_IS_EMPTY = bytes([1]) + bytes(255)


class Lines(list[Slide]):
    """A board taken apart: what each of its rows, and then each of its columns, may become."""

    def legal(self) -> list[str]:
        """The actions that change the board, sorted; not to be changed."""
        size, bits = len(self) // 2, 0
        for line in self[size:]:
            bits |= line[4]
        bits <<= 2
        for line in self[:size]:
            bits |= line[4]
        return _LEGAL[bits]

    def moved(self, action: str) -> tuple[bytes, int]:
        """The board after an action, and the sum of ``2 ** level`` over the tiles that arose."""
        size, slid, merged = len(self) // 2, b"", 0
        lines = self[:size] if action in ("left", "right") else self[size:]
        if action in ("left", "up"):
            for line, points, _, _, _ in lines:
                slid += line
                merged += points
        else:
            for _, _, line, points, _ in lines:
                slid += line
                merged += points
        return slid if action in ("left", "right") else bytes(_TURN[size](slid)), merged


def lines_of(board: bytes, size: int) -> Lines:
    """A board of `size` rows and columns, taken apart."""
    return Lines(map(_look_up, map(board.__getitem__, CUTS[size])))


def empty_cells(board: bytes) -> list[int]:
    """The indices of the cells without a tile.

    >>> empty_cells(bytes([0, 3, 1, 0]))
    [0, 3]
    """
    return list(compress(_CELLS, board.translate(_IS_EMPTY)))
