"""`Case`: what is for sale, what it is worth to each side, and how the counterpart of the world's own bargains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agentgym_critic.envs.negotiation.tempers import TEMPERS, Temper, draw_temper

__all__ = ["Case", "draw_case"]

_THINGS = ("bicycle", "camera", "desk lamp", "guitar", "kettle", "novel", "rug", "telescope", "tent", "typewriter")


class Case(NamedTuple):
    """What the seed decides."""

    thing: str
    cost: int
    """The seller's reservation price: what it is worth to the seller."""
    limit: int
    """The buyer's: what it is worth to the buyer. Above `cost`."""
    seller: int
    """The side that sells."""
    temper: Temper
    """Of the side that the agent does not hold, in its points."""
    ceiling: int
    """The highest price that can be named; the lowest is 1."""

    def share(self, side: int, price: int) -> float:
        """The part of the bargaining zone that a deal gives a side; below 0 beyond its own limit, -1 at worst."""
        gained = price - self.cost if side == self.seller else self.limit - price
        return max(-1.0, min(gained / (self.limit - self.cost), 1.0))

    def points(self, side: int, price: int) -> int:
        """A price in points: more is better for `side`. Its own inverse."""
        return price if side == self.seller else self.ceiling + 1 - price


def draw_case(
    rng: np.random.Generator,
    *,
    agent: int,
    sells: bool | None,
    zone: tuple[int, int],
    ceiling: int,
    rounds: int,
    kind: str | None,
) -> Case:
    """What the seed decides of a talk.

    Args:
        rng: all randomness.
        agent: the agent's side.
        sells: whether the agent sells; None lets the seed decide.
        zone: the least and the greatest width of the bargaining zone.
        ceiling: the highest price.
        rounds: turns of each side.
        kind: the counterpart's temper; what is none of `TEMPERS` stands for any of them.
    """
    thing = _THINGS[int(rng.integers(len(_THINGS)))]
    drawn, any_kind = bool(rng.integers(2)), TEMPERS[int(rng.integers(len(TEMPERS)))]
    width = int(rng.integers(zone[0], zone[1] + 1))
    cost = int(rng.integers(1, ceiling - width + 1))
    seller = agent if (drawn if sells is None else sells) else 1 - agent
    own = cost if seller != agent else ceiling + 1 - (cost + width)
    kind = kind if kind in TEMPERS else any_kind
    temper = draw_temper(rng, kind, limit=own, zone=width, most=ceiling, turns=rounds)
    return Case(thing, cost, cost + width, seller, temper, ceiling)
