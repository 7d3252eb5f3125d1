"""Tic-tac-toe as a `Game`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentgym_critic.envs.boards.env import BoardEnv
from agentgym_critic.envs.boards.game import Game, Move, Position
from agentgym_critic.envs.versus.env import Side

__all__ = ["TicTacToe", "TicTacToeEnv"]

_LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The masks of three in a row; a row is an octal digit."""

_CELLS = tuple(1 << number for number in (4, 0, 2, 6, 8, 1, 3, 5, 7))
"""The middle, the corners, the sides."""


class TicTacToe(Game):
    """Three in a row, column or diagonal win."""

    cells = 9
    stones_to_win = 3
    solved_cells = 9

    def moves(self, position: Position) -> Sequence[Move]:
        """The free cells, as their masks."""
        filled = position[0] | position[1]
        return [bit for bit in _CELLS if not filled & bit]

    def play(self, position: Position, move: Move) -> Position:
        """Put a stone of the side to move."""
        return position[1], position[0] | move

    def won(self, position: Position) -> bool:
        """Whether the side that has just moved has a line."""
        return any(position[1] & line == line for line in _LINES)

    def cell(self, row: int, column: int) -> int:
        """The mask of a cell; row 0 is the uppermost."""
        return 1 << row * 3 + column


class TicTacToeEnv(BoardEnv):
    """Tic-tac-toe; the settings are `BoardEnv`'s, and both ``"minimax"`` and the oracle are perfect."""

    horizon = 9

    def _build(self) -> tuple[TicTacToe, dict[Move, str]]:
        game = TicTacToe()
        return game, {game.cell(row, column): f"{'abc'[column]}{row + 1}" for row in range(3) for column in range(3)}

    def _picture(self, symbol: Callable[[int], str]) -> str:
        rows = [" ".join(symbol(1 << row * 3 + column) for column in range(3)) for row in range(3)]
        return "\n".join(["  a b c", *(f"{number} {row}" for number, row in enumerate(rows, start=1))])

    def _rules(self, side: Side) -> str:
        return (
            "Tic-tac-toe: get three of your stones in a row, a column or a diagonal before your opponent does. "
            "To put a stone on a free cell (.), name its column and row, for example b2."
        )

    def _name(self) -> str:
        return "tictactoe"
