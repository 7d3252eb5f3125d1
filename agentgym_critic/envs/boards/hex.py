"""Hex as a `Game`: connect your two edges of a rhombus before the other does.

A row has one bit more than columns, always empty, so that shifted masks do not run into each other.
A full board has exactly one winner (Gale, "The Game of Hex and the Brouwer Fixed-Point Theorem", 1979).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from agentgym_critic.envs.boards.env import BoardEnv, Rival
from agentgym_critic.envs.boards.game import Game, Move, Position, plies
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.versus.env import Seat, Side

__all__ = ["Hex", "HexEnv"]


class Hex(Game):
    """Side 0 connects the top and the bottom edge, side 1 the left and the right one. No swap rule.

    Args:
        size: rows, and cells of a row.
    """

    solved_cells = 16

    def __init__(self, size: int = 4) -> None:
        self.size, self.stones_to_win, self.cells = size, size, size * size
        self._width = width = size + 1
        middle = (size - 1) / 2
        places = [(row, column) for row in range(size) for column in range(size)]
        places.sort(key=lambda place: abs(place[0] - middle) + abs(place[1] - middle))
        self._bits = [self.cell(row, column) for row, column in places]
        row = (1 << size) - 1
        column = sum(1 << number * width for number in range(size))
        self._board = sum(self._bits)
        self._edges = ((row, row << (size - 1) * width), (column, column << size - 1))

    @property
    def settings(self) -> tuple[int, ...]:
        """The arguments."""
        return (self.size,)

    def moves(self, position: Position) -> Sequence[Move]:
        """The free cells, as their masks, from the middle outwards."""
        filled = position[0] | position[1]
        return [bit for bit in self._bits if not filled & bit]

    def play(self, position: Position, move: Move) -> Position:
        """Put a stone of the side to move."""
        return position[1], position[0] | move

    def won(self, position: Position) -> bool:
        """Whether the side that has just moved has connected its edges."""
        return self._connects(position[1], 1 - plies(position) % 2)

    def playout(self, position: Position, dice: random.Random) -> int:
        """Fill the board at random: whoever is connected then has won."""
        free = list(self.moves(position))
        dice.shuffle(free)
        mine = position[0] | sum(free[::2])
        return 1 if self._connects(mine, plies(position) % 2) else -1

    def cell(self, row: int, column: int) -> int:
        """The mask of a cell; row 0 is the uppermost."""
        return 1 << row * self._width + column

    def moves_to_win(self, position: Position) -> int:
        """The fewest free cells on a way between the edges of the side to move."""
        return self._missing(*position, plies(position) % 2)

    def promising(self, position: Position) -> Sequence[Move]:
        """The free cells, first those after which the own way is short and the other's long."""
        side = plies(position) % 2
        mine, theirs = position

        def lead(move: Move) -> int:
            stones = mine | move
            return self._missing(stones, theirs, side) - self._missing(theirs, stones, 1 - side)

        return sorted(self.moves(position), key=lead)

    def _missing(self, mine: int, theirs: int, side: int) -> int:
        """The fewest free cells on a way between the edges of a side; more than there are if it has none."""
        start, goal = self._edges[side]
        free, needed = self._board & ~theirs, 0
        reached = self._spread(mine & start, mine)
        while not reached & goal and needed <= self.cells:
            needed += 1
            reached = self._spread((self._grown(reached) | start) & free, mine)
        return needed

    def _connects(self, stones: int, side: int) -> bool:
        start, goal = self._edges[side]
        return bool(self._spread(stones & start, stones) & goal)

    def _spread(self, reached: int, stones: int) -> int:
        """All that is connected with `reached` by these stones."""
        before = 0
        while reached != before:
            before = reached
            reached |= self._grown(reached) & stones
        return reached

    def _grown(self, cells: int) -> int:
        """The cells and their neighbours; some may lie beside the board."""
        width = self._width
        return (
            cells | cells << 1 | cells >> 1 | cells << width | cells >> width | cells << width - 1 | cells >> width - 1
        )


class HexEnv(BoardEnv):
    """Hex; further settings are `BoardEnv`'s.

    Args:
        size: rows, and cells of a row, from 2 to 13.

    Raises:
        ConfigError: a setting is refused.
    """

    horizon = 4

    def __init__(
        self,
        *,
        size: int = 4,
        seat: Seat = "random",
        opponent: Rival = "random",
        opponent_budget: int | None = None,
        opening: int = 0,
        solver_nodes: int = 50_000,
        simulations: int = 1_000,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        self._size = whole("size", size, 2, 13)
        super().__init__(
            seat=seat,
            opponent=opponent,
            opponent_budget=opponent_budget,
            opening=opening,
            solver_nodes=solver_nodes,
            simulations=simulations,
            max_steps=max_steps,
            render_mode=render_mode,
        )

    def _build(self) -> tuple[Hex, dict[Move, str]]:
        game, places = Hex(self._size), range(self._size)
        return game, {game.cell(row, column): _label(row, column) for row in places for column in places}

    def _picture(self, symbol: Callable[[int], str]) -> str:
        head = " ".join(chr(ord("a") + column) for column in range(self._size))
        rows = [
            " ".join(symbol(1 << row * (self._size + 1) + column) for column in range(self._size))
            for row in range(self._size)
        ]
        return "\n".join([f"   {head}", *(f"{' ' * row}{row + 1:2} {cells}" for row, cells in enumerate(rows))])

    def _rules(self, side: Side) -> str:
        edges = ("top and the bottom edge", "left and the right edge")
        return (
            f"Hex: connect the {edges[side]} of the board with your stones before your opponent connects the "
            f"{edges[1 - side]}. A cell touches the two beside it, the ones above it and above to the right, and the "
            "ones below it and below to the left. To put a stone on a free cell (.), name its column and row, for "
            "example a1."
        )

    def _name(self) -> str:
        return f"hex-{self._size}x{self._size}"


def _label(row: int, column: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"
