"""`analyse`: what a position is worth if both sides play their best, exactly, and the moves that are worth it.

Negamax with alpha-beta cuts and a transposition table of bounds, asked through null windows
(https://en.wikipedia.org/wiki/MTD(f); the score that counts moves to the end is that of
http://blog.gamesolver.org). Every question has a table and a limit of nodes of its own, so that the
answer depends on the position alone, never on what was asked before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from agentgym_critic.envs.boards.game import Game, Move, Position, plies

__all__ = ["Analysis", "analyse"]


class Analysis(NamedTuple):
    """What best play from a position comes to, for the side to move."""

    score: int
    """0 for a draw; above 0 a win, the sooner the higher: the board's cells plus 1, less the moves
    made when the game is won; a loss is the negative of the other side's score."""
    moves: tuple[Move, ...]
    """All moves that keep the score: they win soonest, lose latest, or keep the draw."""

    @property
    def value(self) -> int:
        """1 for a win, 0 for a draw, -1 for a loss."""
        return (self.score > 0) - (self.score < 0)

    def end(self, game: Game) -> int:
        """Moves made when best play ends the game."""
        return game.cells + 1 - abs(self.score) if self.score else game.cells


@lru_cache(maxsize=4096)
def analyse(game: Game, position: Position, *, nodes: int | None = None, horizon: int | None = None) -> Analysis | None:
    """The best play from a position that is not over.

    Args:
        game: the rules.
        position: where to begin.
        nodes: positions that may be looked at; None for no limit.
        horizon: plies looked ahead, beyond which every game counts as a draw; None for all.

    Returns:
        None if `nodes` do not suffice.
    """
    made = plies(position)
    last = game.cells if horizon is None else min(made + horizon, game.cells)
    search = _Search(game, last, nodes)
    try:
        score = search.score(position, made)
        return Analysis(score, tuple(sorted(search.keeping(position, made, score))))
    except _TooLargeError:
        return None


class _TooLargeError(Exception):
    """The limit of nodes is reached."""


class _Search:
    """The search for one answer; games count as drawn once `last` moves are made."""

    def __init__(self, game: Game, last: int, limit: int | None) -> None:
        self._game, self._last = game, last
        self._left = -1 if limit is None else limit
        self._bounds: dict[Position, tuple[int, int]] = {}

    def score(self, position: Position, made: int) -> int:
        """The exact score, found by halving the interval it is in."""
        low, high = made - self._game.cells, self._game.cells - made
        while low < high:
            middle = (low + high) // 2
            found = self._bound(position, made, middle)
            low, high = (low, found) if found <= middle else (found, high)
        return low

    def keeping(self, position: Position, made: int, score: int) -> list[Move]:
        """The moves after which the score is kept."""
        return [move for move in self._game.moves(position) if self._keeps(position, made, move, score)]

    def _keeps(self, position: Position, made: int, move: Move, score: int) -> bool:
        child = self._game.play(position, move)
        if self._game.won(child):
            return score == self._game.cells - made
        if made + 1 >= self._last:
            return score == 0
        return self._bound(child, made + 1, -score) <= -score

    def _bound(self, position: Position, made: int, alpha: int) -> int:
        """A bound of the score: an upper one if it is at most `alpha`, else a lower one."""
        low, high = self._bounds.get(position, (made - self._game.cells, self._game.cells - made))
        if low > alpha or low == high:
            return low
        if high <= alpha:
            return high
        if self._left == 0:
            raise _TooLargeError
        self._left -= 1
        found = self._best(position, made, alpha)
        self._bounds[position] = (found, high) if found > alpha else (low, found)
        return found

    def _best(self, position: Position, made: int, alpha: int) -> int:
        game = self._game
        needed = game.moves_to_win(position)
        if needed == 1:
            return game.cells - made
        if made + 1 >= self._last:
            return 0
        in_time = made + 2 * needed - 1 <= self._last
        most = max(game.cells - made - 2 * (needed - 1), 0) if in_time else 0
        if most <= alpha:
            return most
        best = made + 1 - game.cells
        for move in game.promising(position):
            best = max(best, -self._bound(game.play(position, move), made + 1, -alpha - 1))
            if best > alpha:
                break
        return best
