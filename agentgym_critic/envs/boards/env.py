"""`BoardEnv`: a board game of two sides as a text environment; the games say what is special to them."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from agentgym_critic.envs.boards.game import START, Game, Move, Position, plies
from agentgym_critic.envs.boards.judge import judge
from agentgym_critic.envs.boards.mcts import search
from agentgym_critic.envs.boards.minimax import analyse
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.versus.env import Payoffs, Seat, Side, VersusEnv
from agentgym_critic.envs.versus.guest import Opponent
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["BoardEnv", "Rival"]

Rival: TypeAlias = str | Opponent | Callable[[], Opponent]

SYMBOLS = "XO"
"""The stones of side 0, and of side 1."""

SIMULATIONS = 400
"""Playouts of the opponent ``"mcts"`` for a move."""

DEEPEST = 8
"""Plies that the opponent ``"minimax"`` may look ahead on boards too large to be solved."""


class BoardEnv(VersusEnv):
    """Put stones in turn until a side has won or the board is full.

    The observation is the board and nothing else; the task explains it. The reward is 1 for the
    step that wins, -1 for the one after which the game is lost, and 0 otherwise; a draw gives 0
    and is no success.

    Args:
        seat: see `VersusEnv`.
        opponent: ``"random"``; ``"minimax"``, which plays perfectly as far as it looks ahead and
            by chance among equals; ``"mcts"``; or an agent, see `VersusEnv`.
        opponent_budget: of ``"minimax"`` the plies it looks ahead, of ``"mcts"`` the playouts for
            a move; None for the game's own.
        opening: moves made at random before the game begins, so few that nobody can win before
            the agent's first move.
        solver_nodes: positions that the exact search of `oracle` may look at for one answer.
        simulations: playouts of `oracle` where the exact search does not come to its end.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    horizon: int
    """Plies that the opponent ``"minimax"`` looks ahead unless told."""

    def __init__(
        self,
        *,
        seat: Seat = "random",
        opponent: Rival = "random",
        opponent_budget: int | None = None,
        opening: int = 0,
        solver_nodes: int = 50_000,
        simulations: int = 1_000,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        self.game, self._labels = self._build()
        game = self.game
        self.opening = whole("opening", opening, 0, min(2 * game.stones_to_win - 3, game.cells - 2))
        self._moves = {label: move for move, label in self._labels.items()}
        self._budget = _budget(game, opponent, opponent_budget)
        self._nodes = whole("solver_nodes", solver_nodes, 0, 10**9)
        self._simulations = whole("simulations", simulations, 1, 10**6)
        self._board: Position | None = None
        self._resigned: Side | None = None
        super().__init__(seat=seat, opponent=opponent, max_steps=max_steps, render_mode=render_mode)

    # ------------------------------------------------------------------ What a game says

    @abstractmethod
    def _build(self) -> tuple[Game, dict[Move, str]]:
        """The rules, and what the player calls each move, in the order in which they are listed."""

    @abstractmethod
    def _picture(self, symbol: Callable[[int], str]) -> str:
        """The board; `symbol` tells what stands on a cell's mask."""

    @abstractmethod
    def _rules(self, side: Side) -> str:
        """What to do and how, for a side."""

    # ------------------------------------------------------------------ What all games share

    @property
    def position(self) -> Position:
        """The stones of the side to move, and of the other.

        Raises:
            EnvError: no episode has been started.
        """
        if self._board is None:
            raise EnvError("no game is played; call reset() first", repr(self))
        return self._board

    def oracle(self) -> Oracle | None:
        """The moves of best play against a perfect opponent, and what it comes to.

        `value` is 1 for a win, 0 for a draw, -1 for a loss. Where the search comes to its end, the
        moves are all that win soonest, keep the draw, or lose latest, and `steps_left` counts the
        own moves until a perfect opponent's game ends; a weaker opponent may lose sooner. Elsewhere
        `exact` is False: the one move most visited by Monte-Carlo tree search, and the mean result
        of its playouts. After a game that is lost or drawn it is None.
        """
        payoffs = self._payoffs()
        if payoffs:
            return Oracle(actions=(), steps_left=0) if payoffs[self._side] > 0 else None
        known = judge(self.game, self.position, self._nodes, self._simulations)
        return Oracle(
            actions=tuple(label for label in self._legal(self._side) if self._moves[label] in known.moves),
            steps_left=known.moves_left,
            exact=known.exact,
            certain=False,
            value=float(known.value),
        )

    def _start(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        self._board, self._resigned = START, None
        for _ in range(self.opening):
            moves = self.game.moves(self._board)
            self._board = self.game.play(self._board, moves[int(rng.integers(len(moves)))])

    def _mover(self) -> Side:
        return 1 if plies(self.position) % 2 else 0

    def _moves_played(self) -> int:
        return plies(self.position)

    def _legal(self, side: Side) -> list[str]:
        free = set(self.game.moves(self.position))
        return [label for move, label in self._labels.items() if move in free]

    def _move(self, side: Side, action: str) -> None:
        self._board = self.game.play(self.position, self._moves[action])

    def _payoffs(self) -> Payoffs | None:
        if self._resigned is not None:
            return (-1.0, 1.0) if self._resigned == 0 else (1.0, -1.0)
        if self.game.won(self.position):
            return (-1.0, 1.0) if self._mover() == 0 else (1.0, -1.0)
        return (0.0, 0.0) if plies(self.position) == self.game.cells else None

    def _resign(self, side: Side) -> None:
        self._resigned = side

    def _view_of(self, side: Side) -> str:
        payoffs = self._payoffs()
        end = f"\n{_ending(payoffs[side], self._resigned)}" if payoffs else ""
        return f"{self._picture(self._symbol)}{end}"

    def _goal(self, side: Side) -> str:
        opened = f" The first {self.opening} moves have been made by chance." if self.opening else ""
        return f"{self._rules(side)} You play {SYMBOLS[side]}; X moves first.{opened}"

    def _kind(self) -> str:
        return f"{super()._kind()} of {self._name()}"

    def _get_game(self) -> tuple[Position, Side | None]:
        return self.position, self._resigned

    def _set_game(self, game: tuple[Position, Side | None]) -> None:
        self._board, self._resigned = game

    def _game_key(self) -> str:
        first, second = self._stones()
        return f"{first:x}.{second:x}{'' if self._resigned is None else f':resigned-{self._resigned}'}"

    def _house_players(self) -> dict[str, Callable[[random.Random], str]]:
        return {**super()._house_players(), "minimax": self._minimax_action, "mcts": self._mcts_action}

    def _minimax_action(self, dice: random.Random) -> str:
        known = analyse(self.game, self.position, horizon=self._budget or self.horizon)
        assert known is not None, "this search has no limit of nodes"
        return self._labels[dice.choice(known.moves)]

    def _mcts_action(self, dice: random.Random) -> str:
        return self._labels[search(self.game, self.position, self._budget or SIMULATIONS, dice)[0].move]

    def _symbol(self, cell: int) -> str:
        first, second = self._stones()
        return SYMBOLS[0] if first & cell else SYMBOLS[1] if second & cell else "."

    def _stones(self) -> tuple[int, int]:
        mover, waiting = self.position
        return (mover, waiting) if self._mover() == 0 else (waiting, mover)


def _budget(game: Game, opponent: Rival, budget: int | None) -> int | None:
    if budget is None:
        return None
    if opponent == "minimax":
        return whole("opponent_budget", budget, 1, game.cells if game.cells <= game.solved_cells else DEEPEST)
    if opponent == "mcts":
        return whole("opponent_budget", budget, 1, 10**6)
    raise ConfigError(f"opponent_budget is for the opponents minimax and mcts; {opponent!r} has no use for {budget!r}")


def _ending(payoff: float, resigned: Side | None) -> str:
    if resigned is not None:
        who = "Your opponent made" if payoff > 0 else "You made"
        return f"{who} no legal move and forfeited the game."
    return {1.0: "You have won.", 0.0: "The game is drawn.", -1.0: "You have lost."}[payoff]
