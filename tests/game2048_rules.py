"""2048 once more, written for clarity only: lists of numbers, and plain recursion."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

__all__ = ["WAYS", "after", "boards", "chance", "levels", "rows", "value"]

WAYS = ("down", "left", "right", "up")

Rows = list[list[int]]
"""The numbers on the tiles, row by row; 0 for an empty cell."""


def _slid(line: list[int]) -> tuple[list[int], int]:
    """A line slid to its front, one tile after the other, and the points made."""
    done: list[int] = []
    may_merge: list[bool] = []
    points = 0
    for number in line:
        if number == 0:
            continue
        if done and done[-1] == number and may_merge[-1]:
            done[-1], may_merge[-1] = 2 * number, False
            points += 2 * number
        else:
            done.append(number)
            may_merge.append(True)
    return done + [0] * (len(line) - len(done)), points


def _turned(board: Rows) -> Rows:
    return [list(column) for column in zip(*board, strict=True)]


def after(board: Rows, way: str) -> tuple[Rows, int]:
    """The board after a move, legal or not, and the points made."""
    if way in ("up", "down"):
        moved, points = after(_turned(board), "left" if way == "up" else "right")
        return _turned(moved), points
    slid = [_slid(row if way == "left" else row[::-1]) for row in board]
    return [row if way == "left" else row[::-1] for row, _ in slid], sum(points for _, points in slid)


def value(board: Rows, target: int) -> float:
    """The chance of the best player to make the target."""
    return _value(tuple(map(tuple, board)), target)


def chance(board: Rows, target: int) -> float:
    """The best player's chance where a tile is about to appear, unless the target is there already."""
    if any(target in row for row in board):
        return 1.0
    empty = [(row, col) for row, line in enumerate(board) for col, number in enumerate(line) if not number]
    total = 0.0
    for row, col in empty:
        for number, weight in ((2, 0.9), (4, 0.1)):
            grown = [line.copy() for line in board]
            grown[row][col] = number
            total += weight * value(grown, target)
    return total / len(empty)


@cache
def _value(frozen: tuple[tuple[int, ...], ...], target: int) -> float:
    board = [list(row) for row in frozen]
    if any(target in row for row in board):
        return 1.0
    moved = [after(board, way)[0] for way in WAYS]
    return max((chance(each, target) for each in moved if each != board), default=0.0)


def rows(board: bytes, size: int) -> Rows:
    """The board of the package as numbers."""
    numbers = [2**level if level else 0 for level in board]
    return [numbers[start : start + size] for start in range(0, size * size, size)]


def levels(board: Rows) -> bytes:
    """Numbers as the board of the package."""
    return bytes(number.bit_length() - 1 if number else 0 for row in board for number in row)


@st.composite
def boards(draw: st.DrawFn, highest: int = 6, largest: int = 5) -> tuple[bytes, int]:
    """Boards of the package with their sizes, sparse or full."""
    size = draw(st.integers(2, largest))
    cell = draw(st.sampled_from([st.integers(0, highest), st.integers(1, 2), st.sampled_from([0, 0, 0, 1, 2])]))
    return bytes(draw(st.lists(cell, min_size=size * size, max_size=size * size))), size
