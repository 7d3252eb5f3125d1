"""`judge`: the best moves of a position, proven where the search comes to its end, else estimated."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import NamedTuple

from agentgym_critic.envs.boards.game import Game, Move, Position, plies
from agentgym_critic.envs.boards.mcts import search
from agentgym_critic.envs.boards.minimax import analyse

__all__ = ["Opinion", "judge"]


class Opinion(NamedTuple):
    """What is known of a position, for the side to move."""

    moves: tuple[Move, ...]
    value: float
    """From -1, a loss, to 1, a win."""
    moves_left: int
    """Own moves until the game ends with best play of both; of an estimate, until the board is full."""
    exact: bool


@lru_cache(maxsize=1024)
def judge(game: Game, position: Position, nodes: int, simulations: int) -> Opinion:
    """The best moves from a position that is not over. The answer depends on the arguments alone.

    Args:
        game: the rules.
        position: where to begin.
        nodes: positions that the exact search may look at.
        simulations: playouts where it does not come to its end, or is not worth trying.
    """
    made = plies(position)
    if game.cells - made <= game.solved_cells and (known := analyse(game, position, nodes=nodes)):
        return Opinion(known.moves, known.value, (known.end(game) - made + 1) // 2, exact=True)
    dice = random.Random(f"{position}")  # noqa: S311 -- a game, not a secret
    best = search(game, position, simulations, dice)[0]
    return Opinion((best.move,), best.mean, (game.cells - made + 1) // 2, exact=False)
