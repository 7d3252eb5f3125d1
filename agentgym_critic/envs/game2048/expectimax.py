"""`Expectimax`: what each move of 2048 is worth, by looking ahead over the player's moves and chance's tiles.

A board that holds the target is worth 1 and one without moves 0; the search averages over every
cell and both tiles, exactly. Where it stops before the game has ended, a board is worth what
`promise` makes of it, a number inside (0, 1) that orders boards and is no probability.
"""

from __future__ import annotations

from typing import NamedTuple

from agentgym_critic.envs.game2048.arrangement import promise
from agentgym_critic.envs.game2048.board import empty_cells, lines_of
from agentgym_critic.envs.game2048.tiles import FOUR_CHANCE

__all__ = ["ActionValues", "Expectimax"]

TOLERANCE = 1e-9
"""Values closer than this are equal: sums of the same numbers differ by their order."""


class ActionValues(NamedTuple):
    """What each legal action is worth."""

    values: dict[str, float]
    exact: bool
    """Whether every line of play was followed to its end, so that a value is the chance to reach the target."""

    @property
    def best(self) -> tuple[str, ...]:
        """All actions of the highest value; none if the game is over."""
        highest = max(self.values.values(), default=0.0)
        return tuple(action for action, value in self.values.items() if value >= highest - TOLERANCE)


class Expectimax:
    """Looks ahead on boards of one size, for one target.

    Args:
        size: rows and columns.
        goal: level of the target tile.
        depth: the player's moves looked ahead; None looks to the end of the game.
    """

    def __init__(self, size: int, goal: int, depth: int | None) -> None:
        self._size, self._goal = size, goal
        self._depth = -1 if depth is None else depth
        self._seen: dict[tuple[bytes, int], float] = {}
        self._exact = True

    def values(self, board: bytes) -> ActionValues:
        """The value of every legal action on a board without the target."""
        self._seen, self._exact = {}, True
        lines = lines_of(board, self._size)
        values = {action: self._after_move(lines.moved(action)[0], self._depth - 1) for action in lines.legal()}
        self._seen = {}
        return ActionValues(values, self._exact)

    def _after_move(self, board: bytes, depth: int) -> float:
        """The mean over the tiles that may appear."""
        if self._goal in board:
            return 1.0
        empty = empty_cells(board)
        total = 0.0
        for cell in empty:
            before, behind = board[:cell], board[cell + 1 :]
            total += (1 - FOUR_CHANCE) * self._to_move(before + b"\1" + behind, depth)
            total += FOUR_CHANCE * self._to_move(before + b"\2" + behind, depth)
        return total / len(empty)

    def _to_move(self, board: bytes, depth: int) -> float:
        """The best of what the player can do."""
        known = self._seen.get((board, depth))
        if known is None:
            self._seen[board, depth] = known = self._look(board, depth)
        return known

    def _look(self, board: bytes, depth: int) -> float:
        lines = lines_of(board, self._size)
        legal = lines.legal()
        if not legal:
            return 0.0
        if depth == 0:
            self._exact = False
            return promise(board, self._size)
        return max([self._after_move(lines.moved(action)[0], depth - 1) for action in legal])
