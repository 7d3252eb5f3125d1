"""`Game`: what search needs to know of a board game in which two sides fill cells in turn.

A position is a pair of bit masks: the stones of the side to move, and those of the other. Who moves
follows from the number of stones. The module knows no words and no search.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["START", "Game", "Move", "Position", "plies"]

Position: TypeAlias = tuple[int, int]
"""The stones of the side to move, and of the side that has just moved."""

Move: TypeAlias = int

START: Position = (0, 0)


def plies(position: Position) -> int:
    """How many moves have been made.

    >>> plies((0b1, 0b110))
    3
    """
    return position[0].bit_count() + position[1].bit_count()


class Game(ABC):
    """The rules of one game. It ends when a side has won or no cell is left."""

    cells: int
    """Moves after which the board is full."""

    stones_to_win: int
    """Stones of one side without which it cannot have won."""
    solved_cells: int
    """Free cells up to which it is worth trying to search to the end."""

    @property
    def settings(self) -> tuple[int, ...]:
        """What tells this game from others of its class; games are equal if class and settings are."""
        return ()

    def __eq__(self, other: object) -> bool:
        """Whether the rules are the same."""
        return isinstance(other, Game) and type(self) is type(other) and self.settings == other.settings

    def __hash__(self) -> int:
        """Equal for equal rules."""
        return hash((type(self), self.settings))

    @abstractmethod
    def moves(self, position: Position) -> Sequence[Move]:
        """The legal moves where nobody has won, those first that are good more often."""

    @abstractmethod
    def play(self, position: Position, move: Move) -> Position:
        """The position after a legal move, seen by the side that moves next."""

    @abstractmethod
    def won(self, position: Position) -> bool:
        """Whether the side that has just moved has won."""

    def over(self, position: Position) -> bool:
        """Whether a side has won or the board is full."""
        return self.won(position) or plies(position) == self.cells

    def moves_to_win(self, position: Position) -> int:
        """Moves of the side to move until it can have won, at least; 1 exactly if it can win at once."""
        return 1 if any(self.won(self.play(position, move)) for move in self.moves(position)) else 2

    def promising(self, position: Position) -> Sequence[Move]:
        """The legal moves, the most promising first, for a search that stops at the first good one."""
        return self.moves(position)

    def playout(self, position: Position, dice: random.Random) -> int:
        """Play at random to the end, where nobody has won yet.

        Returns:
            1 if the side to move wins, -1 if the other does, 0 for a draw.
        """
        sign = 1
        while moves := self.moves(position):
            position = self.play(position, moves[int(dice.random() * len(moves))])
            if self.won(position):
                return sign
            sign = -sign
        return 0
