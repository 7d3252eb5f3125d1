"""`NegotiationEnv`: bargaining over a price as a text environment for two."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from agentgym_critic.envs.negotiation import talk
from agentgym_critic.envs.negotiation.case import Case, draw_case
from agentgym_critic.envs.negotiation.outlook import Moment, Outlook, outlook
from agentgym_critic.envs.negotiation.talk import LONGEST_MESSAGE, Act, read_act
from agentgym_critic.envs.negotiation.tempers import TEMPERS
from agentgym_critic.envs.negotiation.words import task, transcript
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.versus import Opponent, VersusEnv
from agentgym_critic.envs.versus.env import Payoffs, Seat, Side
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["NegotiationEnv", "Role"]

Role: TypeAlias = Literal["buyer", "seller", "random"]
"""What the agent does; ``"random"`` lets the seed decide."""

ANY = "any-temper"
"""The opponent whose temper the seed decides."""


class NegotiationEnv(VersusEnv):
    """Agree on a price with a counterpart whose limit, and whose ways, are unknown.

    The reward of a deal is the share of the bargaining zone that it gives the agent: 1 for the
    counterpart's own limit, 0 for the agent's, below 0 beyond that, -1 at worst. Without a deal it
    is 0. A reward above 0 is a success.

    Args:
        role: whether the agent is the ``"buyer"`` or the ``"seller"``; ``"random"`` by the seed.
        seat: ``"first"`` if the agent opens the talk; see `VersusEnv`.
        opponent: one of `TEMPERS`, ``"any-temper"``, or an agent; see `VersusEnv`.
        rounds: turns of each side, from 2 to 20.
        zone: the least and the greatest width of the bargaining zone; one number stands for both.
        ceiling: the highest price, from 10 to 200; the lowest is 1.
        messages: whether words may follow an action (``"offer 40: it is scratched"``). The actions
            are then not listed, since there are too many. The tempers take no notice of words.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        *,
        role: Role = "random",
        seat: Seat = "random",
        opponent: str | Opponent | Callable[[], Opponent] = ANY,
        rounds: int = 6,
        zone: int | Sequence[int] = (10, 40),
        ceiling: int = 100,
        messages: bool = False,
        max_steps: int | None = 25,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(seat=seat, opponent=opponent, max_steps=max_steps, render_mode=render_mode)
        if role not in get_args(Role):
            raise ConfigError(f"role is one of {', '.join(get_args(Role))}; got {role!r}")
        self.role = role
        self.rounds = whole("rounds", rounds, 2, 20)
        self.ceiling = whole("ceiling", ceiling, 10, 200)
        self.zone = _widths(zone, ceiling)
        self.messages = messages
        self._case: Case | None = None
        self._acts: tuple[Act, ...] = ()

    @property
    def case(self) -> Case:
        """Both limits and the counterpart's temper. Privileged.

        Raises:
            EnvError: no episode has been started.
        """
        if self._case is None:
            raise EnvError("there is nothing to negotiate yet; call reset() first", repr(self))
        return self._case

    def oracle(self) -> Oracle | None:
        """All actions that begin a shortest way to the best deal that can still be had, exactly.

        `value` is the share of the bargaining zone that the deal gives. None if no gain can be had
        any more, and where the opponent is an agent, whose ways nobody knows.
        """
        if (payoffs := self._payoffs()) is not None:
            share = payoffs[self._side]
            return Oracle(actions=(), steps_left=0, value=share) if share > 0 else None
        known = self._outlook.best(self._moment) if self.house_opponent else None
        if known is None:
            return None
        points, left = known
        share = self.case.share(self._side, self.case.points(1 - self._side, points))
        return Oracle(actions=self._keeping(), steps_left=left, value=share) if share > 0 else None

    def _keeping(self) -> tuple[str, ...]:
        accept, reject, offers = self._outlook.keeping(self._moment)
        prices = sorted(self.case.points(1 - self._side, points) for points in offers)
        words = [word for word, does in (("accept", accept), ("reject", reject)) if does]
        return (*words, *(f"offer {price}" for price in prices))

    @property
    def _outlook(self) -> Outlook:
        return outlook(self.case.temper, self.rounds, self.ceiling, self._side == 0)

    @property
    def _moment(self) -> Moment:
        first, best = self._given(self._side)
        return Moment(len(self._acts) // 2, first, best)

    def _given(self, side: int) -> tuple[int, int]:
        """A side's first and best offer in points for the other; 0 for none."""
        points = [self.case.points(1 - side, price) for price in talk.offers_of(self._acts, side)]
        return (points[0], max(points)) if points else (0, 0)

    def _start(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        sells = None if self.role == "random" else self.role == "seller"
        self._case = draw_case(
            rng,
            agent=self._side,
            sells=sells,
            zone=self.zone,
            ceiling=self.ceiling,
            rounds=self.rounds,
            kind=self.house_opponent,
        )
        self._acts = ()

    def _mover(self) -> Side:
        return 1 if len(self._acts) % 2 else 0

    def _moves_played(self) -> int:
        return len(self._acts)

    def _legal(self, side: Side) -> list[str] | None:
        if self.messages:
            return None
        answers = ["accept", "reject"] if talk.standing(self._acts) else []
        leaving = ["walk away"] if self._acts else []
        return [*answers, *(f"offer {price}" for price in range(1, self.ceiling + 1)), *leaving]

    def _objection(self, side: Side, action: str) -> str:
        act = read_act(side, action)
        if act is None:
            return (
                f"{action[:50]!r} is no move here. Say: offer <price>, with a whole number from 1 to {self.ceiling}; "
                "accept; reject; walk away."
            )
        if act.kind == "offer" and act.price > self.ceiling:
            return f"A price is a whole number from 1 to {self.ceiling}, got {act.price}."
        if act.kind in ("accept", "reject") and talk.standing(self._acts) is None:
            return f"There is no offer to {act.kind}."
        if act.kind == "walk away" and not self._acts:
            return "Nobody has offered anything yet; whoever opens the talk makes an offer."
        if act.message and not self.messages:
            return f"No messages are passed here; say only {action.partition(':')[0]!r}."
        if len(act.message) > LONGEST_MESSAGE:
            return f"A message has at most {LONGEST_MESSAGE} characters, got {len(act.message)}."
        return ""

    def _move(self, side: Side, action: str) -> None:
        act = read_act(side, action)
        assert act is not None, "_objection lets through only what can be read"
        self._acts = (*self._acts, act)

    def _payoffs(self) -> Payoffs | None:
        if not talk.ended(self._acts, self.rounds):
            return None
        price = talk.agreed(self._acts)
        return (0.0, 0.0) if price is None else (self.case.share(0, price), self.case.share(1, price))

    def _resign(self, side: Side) -> None:
        self._acts = (*self._acts, Act(side, "walk away"))

    def _view_of(self, side: Side) -> str:
        return transcript(self.case, side, self._acts, self.rounds)

    def _goal(self, side: Side) -> str:
        return task(self.case, side, self.rounds, self.messages)

    def _name(self) -> str:
        role = "seller" if self.case.seller == self._side else "buyer"
        return f"negotiation-{role}-{_digest(self.case)}"

    def _kind(self) -> str:
        return f"{super()._kind()} with rounds={self.rounds} and ceiling={self.ceiling}"

    def _get_game(self) -> tuple[Case, tuple[Act, ...]]:
        return self.case, self._acts

    def _set_game(self, game: tuple[Case, tuple[Act, ...]]) -> None:
        self._case, self._acts = game

    def _game_key(self) -> str:
        return _digest((self.case, self._acts))

    def _house_players(self) -> dict[str, Callable[[random.Random], str]]:
        return dict.fromkeys((ANY, *TEMPERS), self._answer)

    def _answer(self, dice: random.Random) -> str:
        """What the counterpart says; it follows from its temper, never from the dice."""
        side, turn = self._mover(), len(self._acts) // 2
        demand = int(self.case.temper.demand(turn, *self._given(1 - side)))
        offered = talk.standing(self._acts)
        if offered is not None and self.case.points(side, offered) >= demand:
            return "accept"
        return "walk away" if self.case.temper.leaves(turn) else f"offer {self.case.points(side, demand)}"


def _widths(zone: object, ceiling: int) -> tuple[int, int]:
    pair = (zone, zone) if isinstance(zone, int) else zone
    if isinstance(pair, Sequence) and len(pair) == 2 and all(type(width) is int for width in pair):
        least, most = pair
        if 1 <= least <= most <= ceiling - 1:
            return least, most
    raise ConfigError(
        f"zone is the least and the greatest width, or one number for both, from 1 to {ceiling - 1}; got {zone!r}"
    )


def _digest(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=8).hexdigest()
