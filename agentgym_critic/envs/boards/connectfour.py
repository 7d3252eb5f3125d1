"""Connect Four and its like on any small board, as a `Game`.

A column has one bit more than rows, always empty, so that shifted masks do not run into each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentgym_critic.envs.boards.env import BoardEnv, Rival
from agentgym_critic.envs.boards.game import Game, Move, Position
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.versus.env import Seat, Side
from agentgym_critic.errors import ConfigError

__all__ = ["ConnectFour", "ConnectFourEnv"]


class ConnectFour(Game):
    """Stones drop to the lowest free cell of a column; `connect` in a line win.

    Args:
        rows: of the board.
        columns: of the board.
        connect: stones in a row, column or diagonal that win.
    """

    solved_cells = 20

    def __init__(self, rows: int = 6, columns: int = 7, connect: int = 4) -> None:
        self.rows, self.columns, self.connect = rows, columns, connect
        self.cells, self.stones_to_win = rows * columns, connect
        height = rows + 1
        self._bottoms = [1 << column * height for column in range(columns)]
        self._columns = [((1 << rows) - 1) * bottom for bottom in self._bottoms]
        self._tops = [bottom << rows - 1 for bottom in self._bottoms]
        self._order = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
        self._shifts = [[number * step for number in range(1, connect)] for step in (1, height, height - 1, height + 1)]

    @property
    def settings(self) -> tuple[int, ...]:
        """The arguments."""
        return (self.rows, self.columns, self.connect)

    def moves(self, position: Position) -> Sequence[Move]:
        """The columns with room, the middle first."""
        filled = position[0] | position[1]
        return [column for column in self._order if not filled & self._tops[column]]

    def play(self, position: Position, move: Move) -> Position:
        """Drop a stone of the side to move."""
        mover, waiting = position
        stone = (mover | waiting) + self._bottoms[move] & self._columns[move]
        return waiting, mover | stone

    def won(self, position: Position) -> bool:
        """Whether the side that has just moved has a line."""
        stones = position[1]
        for shifts in self._shifts:
            line = stones
            for shift in shifts:
                line &= stones >> shift
            if line:
                return True
        return False

    def cell(self, row: int, column: int) -> int:
        """The mask of a cell; row 0 is the lowest."""
        return self._bottoms[column] << row


class ConnectFourEnv(BoardEnv):
    """Connect Four; further settings are `BoardEnv`'s.

    Args:
        rows: of the board, from 3 to 10.
        columns: of the board, from 3 to 10.
        connect: stones in a row, column or diagonal that win, from 3.

    Raises:
        ConfigError: a setting is refused, or the board is too small for any line.
    """

    horizon = 4

    def __init__(
        self,
        *,
        rows: int = 6,
        columns: int = 7,
        connect: int = 4,
        seat: Seat = "random",
        opponent: Rival = "random",
        opponent_budget: int | None = None,
        opening: int = 0,
        solver_nodes: int = 50_000,
        simulations: int = 1_000,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        whole("rows", rows, 3, 10)
        whole("columns", columns, 3, 10)
        if whole("connect", connect, 3, 10) > max(rows, columns):
            raise ConfigError(f"connect={connect} stones in a line fit into no board of {rows} rows, {columns} columns")
        self._rows, self._columns, self._connect = rows, columns, connect
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

    def _build(self) -> tuple[ConnectFour, dict[Move, str]]:
        game = ConnectFour(self._rows, self._columns, self._connect)
        return game, {column: str(column + 1) for column in range(self._columns)}

    def _picture(self, symbol: Callable[[int], str]) -> str:
        rows = [
            " ".join(symbol(1 << column * (self._rows + 1) + row) for column in range(self._columns))
            for row in reversed(range(self._rows))
        ]
        return "\n".join([*rows, " ".join(self._labels.values())])

    def _rules(self, side: Side) -> str:
        return (
            f"Connect {self._connect}: get {self._connect} of your stones in a row, a column or a diagonal before your "
            "opponent does. To drop a stone into a column, name its number, for example 1; it falls to the lowest free "
            "cell (.)."
        )

    def _objection(self, side: Side, action: str) -> str:
        if action in self._moves and action not in self._legal(side):
            return f"Column {action} is full. Possible: {', '.join(self._legal(side))}."
        return super()._objection(side, action)

    def _name(self) -> str:
        return f"connect{self._connect}-{self._rows}x{self._columns}"
