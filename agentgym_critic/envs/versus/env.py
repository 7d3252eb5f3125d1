"""`VersusEnv`: a world of two players. The agent holds one seat, an opponent the other.

It owns what all such worlds share: who sits where, whose turn it is, asking the opponent, what
happens if it fails. A subclass owns the rules of one game. Sides are 0, which moves first, and 1.

One step is the agent's move and whatever the opponent answers, up to the agent's next turn. Each
side sees the game through `_view_of` and the goal through `_goal`, and nothing else of it.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv, clean_action
from agentgym_critic.envs.versus.guest import Guest, Opponent, Reply
from agentgym_critic.envs.versus.opponents import invite
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Turn

__all__ = ["Payoffs", "Seat", "Side", "VersusEnv"]

Side: TypeAlias = Literal[0, 1]
"""0 moves first."""

Seat: TypeAlias = Literal["first", "second", "random"]
"""Which side the agent takes; ``"random"`` lets the seed decide."""

Payoffs: TypeAlias = tuple[float, float]
"""What the end of a game is worth to each side."""

OPPONENT_TRIES = 3
"""Illegal proposals after which an opponent forfeits."""


class _World(NamedTuple):
    """A moment between two players, as snapshots hold it."""

    game: Any
    seat: Side
    seed: int
    replies: tuple[Reply, ...]
    forfeited: bool


class VersusEnv(TextEnv):
    """A text environment for two.

    The world's own opponents draw their dice from the seed of the episode and the number of the
    move, so that snapshots are exact. An agent as opponent is reset with a seed made from the
    episode's; after `restore` it is reset and shown its turns again, see `Guest`.

    An opponent that raises ends the step with an `EnvError`, and the moment before the step is
    restored. One whose proposals are illegal three times in a row forfeits the game, which
    ``info["opponent_forfeited"]`` tells; if it does so before the agent's first move, `reset` raises.

    Args:
        seat: which side the agent takes: ``"first"``, ``"second"``, or ``"random"`` by the seed.
        opponent: the name of one of the world's own players, an agent, a class or function
            without arguments that makes one, or its ``"pkg.mod:Class"``.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
        EnvError: the opponent's class raised.
    """

    def __init__(
        self,
        *,
        seat: Seat = "random",
        opponent: str | Opponent | Callable[[], Opponent] = "random",
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        if seat not in get_args(Seat):
            raise ConfigError(f"seat is one of {', '.join(get_args(Seat))}; got {seat!r}")
        self.seat = seat
        self._house = self._house_players()
        self._rival = invite(opponent, self._house)
        self._side: Side = 0
        self._seed = 0
        self._replies: tuple[Reply, ...] = ()
        self._forfeited = False

    # ------------------------------------------------------------------ What a game defines

    @abstractmethod
    def _start(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Set up a new game from `rng` alone; nobody has moved yet."""

    @abstractmethod
    def _mover(self) -> Side:
        """Whose turn it is."""

    @abstractmethod
    def _moves_played(self) -> int:
        """How many moves have been made, by both sides."""

    @abstractmethod
    def _legal(self, side: Side) -> list[str] | None:
        """The legal actions of the side whose turn it is, in a fixed order; None where they cannot be listed."""

    @abstractmethod
    def _move(self, side: Side, action: str) -> None:
        """Carry out a legal action of the side whose turn it is."""

    @abstractmethod
    def _payoffs(self) -> Payoffs | None:
        """What the end is worth to each side; None while the game goes on. Above 0 is a success."""

    @abstractmethod
    def _resign(self, side: Side) -> None:
        """End the game because this side makes no legal move."""

    @abstractmethod
    def _view_of(self, side: Side) -> str:
        """What a side sees now."""

    @abstractmethod
    def _goal(self, side: Side) -> str:
        """The task of a side, in words."""

    @abstractmethod
    def _name(self) -> str:
        """The name of the game with these settings, for task ids."""

    @abstractmethod
    def _get_game(self) -> Any:
        """The full state of the game as one value that later moves do not change."""

    @abstractmethod
    def _set_game(self, game: Any) -> None:
        """Return to a state that `_get_game` gave."""

    @abstractmethod
    def _game_key(self) -> str:
        """A hash of the full state of the game, equal exactly when the states are equal."""

    def _objection(self, side: Side, action: str) -> str:
        """Why `action` is illegal for the side whose turn it is; empty if it is legal."""
        legal = self._legal(side)
        if legal is None or action in legal:
            return ""
        return f"{action[:50]!r} is not possible here. Possible: {', '.join(legal)}."

    def _house_players(self) -> dict[str, Callable[[random.Random], str]]:
        """The world's own opponents by name: each chooses the action of the side whose turn it is, by its dice."""
        return {"random": self._random_action}

    # ------------------------------------------------------------------ What all games share

    @property
    def opponent_name(self) -> str:
        """Who holds the other seat."""
        return self._rival.name.removeprefix("opponent ") if isinstance(self._rival, Guest) else self._rival

    @property
    def house_opponent(self) -> str | None:
        """Which of the world's own players holds the other seat; None for an agent."""
        return None if isinstance(self._rival, Guest) else self._rival

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        drawn: Side = 1 if rng.integers(2) else 0
        self._side = {"first": 0, "second": 1}.get(self.seat, drawn)  # type: ignore[assignment]
        self._seed, self._forfeited = int(rng.integers(2**31)), False
        self._replies = ()
        if isinstance(self._rival, Guest):
            self._rival.begin()
        self._start(rng, options)
        self._let_the_opponent_move()
        if self._payoffs() is not None:
            raise EnvError(
                f"{self._opponent} ended the game before the agent's first move{self._tried()}", self._opponent
            )
        return self._view()

    def _act(self, action: str) -> Outcome:
        before = self._get_world()
        try:
            self._move(self._side, action)
            self._let_the_opponent_move()
        except BaseException:
            self._set_world(before)
            raise
        payoffs = self._payoffs()
        if payoffs is None:
            return Outcome(self._view())
        reward = payoffs[self._side]
        return Outcome(self._view(), reward, True, reward > 0)

    def _let_the_opponent_move(self) -> None:
        while self._payoffs() is None and self._mover() != self._side:
            if isinstance(self._rival, Guest):
                self._let_the_guest_move(self._rival)
            else:
                self._move(self._mover(), self._house[self._rival](self._dice()))

    def _let_the_guest_move(self, guest: Guest) -> None:
        side, reason = self._mover(), ""
        for _ in range(OPPONENT_TRIES):
            turn = self._turn(side, reason)
            text = guest.ask(self._seed, self._replies, turn)
            action = clean_action(text)
            reason = self._objection(side, action)
            self._replies = (*self._replies, Reply(turn, text, reason))
            guest.keep(self._replies)
            if not reason:
                self._move(side, action)
                return
        self._forfeited = True
        self._resign(side)

    def _tried(self) -> str:
        return "".join(f"; it said {reply.action[:50]!r}" for reply in self._replies)

    def _turn(self, side: Side, reason: str) -> Turn:
        view, legal = self._view_of(side), self._legal(side)
        return Turn(
            task=self._goal(side),
            observation=f"{reason}\n\n{view}" if reason else view,
            admissible_actions=None if legal is None else tuple(legal),
            history=tuple(reply.exchange for reply in self._replies),
            index=len(self._replies),
        )

    def _dice(self) -> random.Random:
        """The randomness of the next move of an opponent of the world's own."""
        return random.Random(f"{self._seed}:{self._moves_played()}")  # noqa: S311 -- a game, not a secret

    def _random_action(self, dice: random.Random) -> str:
        legal = self._legal(self._mover())
        assert legal is not None, "a game without a list of actions defines its own random player"
        return dice.choice(legal)

    def _admissible(self) -> list[str] | None:
        return self._legal(self._side)

    def _refusal(self, action: str) -> str:
        return self._objection(self._side, action)

    def _view(self) -> str:
        return self._view_of(self._side)

    def _get_world(self) -> _World:
        return _World(self._get_game(), self._side, self._seed, self._replies, self._forfeited)

    def _set_world(self, world: _World) -> None:
        game, self._side, self._seed, self._replies, self._forfeited = world
        self._set_game(game)

    def _state_key(self) -> str:
        return f"{self._side}:{self._game_key()}{':forfeited' if self._forfeited else ''}"

    def _task(self) -> tuple[str, str]:
        seat = ("first", "second")[self._side]
        return f"{self._name()}-{seat}-vs-{self.opponent_name}", self._goal(self._side)

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "opponent_forfeited": self._forfeited}

    @property
    def _opponent(self) -> str:
        return f"opponent {self.opponent_name}"
