"""Monte-Carlo tree search with UCT and random playouts: what moves seem worth where nothing can be proven.

Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning" (2006), with the usual variant that one
node is added for each playout.
"""

from __future__ import annotations

import math
import random
from typing import NamedTuple

from agentgym_critic.envs.boards.game import Game, Move, Position

__all__ = ["Estimate", "search"]

EXPLORATION = 1.4
"""Weight of the upper confidence bound; results are from -1 to 1."""


class Estimate(NamedTuple):
    """What playouts say of a move, for the side that makes it."""

    move: Move
    visits: int
    mean: float
    """Of the results: 1 for a win, 0 for a draw, -1 for a loss."""


class _Node:
    """A position that has been reached, with the sum of results for the side that moved into it."""

    __slots__ = ("children", "final", "mean", "position", "untried", "visits")

    def __init__(self, game: Game, position: Position) -> None:
        self.position = position
        won = game.won(position)
        self.untried: list[Move] = [] if won else list(game.moves(position))[::-1]
        self.final: int | None = 1 if won else (None if self.untried else 0)
        self.children: dict[Move, _Node] = {}
        self.visits = 0
        self.mean = 0.0


def search(game: Game, position: Position, simulations: int, dice: random.Random) -> list[Estimate]:
    """The moves from a position that is not over, the most visited first.

    Args:
        game: the rules.
        position: where to begin.
        simulations: playouts.
        dice: all randomness.
    """
    root = _Node(game, position)
    for _ in range(simulations):
        _simulate(game, root, dice)
    estimates = [Estimate(move, child.visits, child.mean) for move, child in root.children.items()]
    return sorted(estimates, key=lambda each: (-each.visits, -each.mean, each.move))


def _simulate(game: Game, root: _Node, dice: random.Random) -> None:
    node, path = root, [root]
    while not node.untried and node.children:
        node = _promising(node)
        path.append(node)
    if node.untried:
        move = node.untried.pop()
        child = node.children[move] = _Node(game, game.play(node.position, move))
        node = child
        path.append(node)
    result = -game.playout(node.position, dice) if node.final is None else node.final
    for visited in reversed(path):
        visited.visits += 1
        visited.mean += (result - visited.mean) / visited.visits
        result = -result


def _promising(node: _Node) -> _Node:
    log = math.log(node.visits)
    return max(node.children.values(), key=lambda child: child.mean + EXPLORATION * math.sqrt(log / child.visits))
