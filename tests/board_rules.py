"""The rules of the board games once more, cell by cell, and plain minimax over all that can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Cell: TypeAlias = tuple[int, int]
"""Row, from the top, and column."""

Board: TypeAlias = frozenset[tuple[Cell, str]]
"""The stones: where, and whose."""


class Rules(NamedTuple):
    rows: int
    columns: int
    drops: bool
    wins: Callable[[set[Cell], str], bool]
    """Whether the stones of a side win."""

    def moves(self, board: Board) -> list[Cell]:
        taken = {cell for cell, _ in board}
        free = [
            (row, column) for row in range(self.rows) for column in range(self.columns) if (row, column) not in taken
        ]
        if not self.drops:
            return free
        return [(row, column) for row, column in free if row + 1 == self.rows or (row + 1, column) in taken]

    def won_by(self, board: Board, symbol: str) -> bool:
        return self.wins({cell for cell, whose in board if whose == symbol}, symbol)


def lines(length: int) -> Callable[[set[Cell], str], bool]:
    def wins(stones: set[Cell], symbol: str) -> bool:
        steps = ((0, 1), (1, 0), (1, 1), (1, -1))
        return any(
            all((row + down * number, column + right * number) in stones for number in range(length))
            for row, column in stones
            for down, right in steps
        )

    return wins


def edges(size: int) -> Callable[[set[Cell], str], bool]:
    def wins(stones: set[Cell], symbol: str) -> bool:
        axis = 0 if symbol == "X" else 1
        todo = [cell for cell in stones if cell[axis] == 0]
        seen = set(todo)
        while todo:
            row, column = todo.pop()
            if (row, column)[axis] == size - 1:
                return True
            near = {(row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)}
            for cell in ((near | {(row - 1, column + 1), (row + 1, column - 1)}) & stones) - seen:
                seen.add(cell)
                todo.append(cell)
        return False

    return wins


def read(picture: str, rules: Rules) -> Board:
    """The stones of a picture, whatever it has at its edges."""
    marks = [[symbol for symbol in line.split() if symbol in "XO."] for line in picture.split("\n")]
    grid = [row for row in marks if len(row) == rules.columns][: rules.rows]
    return frozenset(
        ((row, column), symbol)
        for row, symbols in enumerate(grid)
        for column, symbol in enumerate(symbols)
        if symbol != "."
    )


class Solver:
    """Plain minimax: for a board the end it comes to, as (value for the side to move, moves to it)."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.outcome = lru_cache(maxsize=None)(self._outcome)

    def _outcome(self, board: Board) -> tuple[int, int]:
        symbol, other = ("X", "O") if len(board) % 2 == 0 else ("O", "X")
        if self.rules.won_by(board, other):
            return -1, 0
        if len(board) == self.rules.rows * self.rules.columns:
            return 0, 0
        after = [self.outcome(board | {(cell, symbol)}) for cell in self.rules.moves(board)]
        return max(((-value, moves + 1) for value, moves in after), key=_better)

    def best(self, board: Board) -> Iterator[Cell]:
        symbol = "X" if len(board) % 2 == 0 else "O"
        wanted = self.outcome(board)
        for cell in self.rules.moves(board):
            value, moves = self.outcome(board | {(cell, symbol)})
            if (-value, moves + 1) == wanted:
                yield cell


def _better(end: tuple[int, int]) -> tuple[int, int]:
    """Win soon, lose late."""
    value, moves = end
    return value, -value * moves
