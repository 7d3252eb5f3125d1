"""`Temper`: how a counterpart concedes. It knows no words, no roles, and nothing of the other's limit.

All is in points: what a price is worth to the counterpart, more being better for it. The strategies
are the standard ones: time-dependent concession, slow ("Boulware") and fast ("conceder"), and
behaviour-dependent tit for tat (Faratin, Sierra and Jennings, "Negotiation decision functions for
autonomous agents", Robotics and Autonomous Systems 24, 1998). An offer is accepted if it is at least
what would be asked for next (AC_next of Baarslag, Hindriks and Jonker, "Effective acceptance
conditions in real-time automated negotiation", Decision Support Systems 60, 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["TEMPERS", "Temper", "draw_temper"]

TEMPERS = ("conceding", "firm", "impatient", "tit-for-tat")
"""Concedes early; concedes late; concedes steadily and soon leaves; concedes as the other does."""


class Temper(NamedTuple):
    """A counterpart of a kind, with its private numbers."""

    kind: str
    opening: int
    """Points it asks for at first."""
    least: int
    """Points it asks for at last; it never goes below."""
    turns: int
    """Own turns over which it concedes."""
    exponent: float = 1.0
    """Of the share of time that has passed: above 1 it concedes late, below early."""
    nudge: int = 0
    """Points it concedes on every turn without being given any; only tit for tat."""

    def demand(self, turn: int, first: Any, best: Any) -> Any:
        """Points it asks for on its turn of this number, from 0, given the other's first and best offer so far.

        Args:
            turn: number of its own turn.
            first: the other's first offer in points, 0 for none yet; an int or an array of them.
            best: the best one; likewise.

        Returns:
            An int64 array of the arguments' shape, or 0-dimensional.
        """
        spread = self.opening - self.least
        if self.kind == "tit-for-tat":
            return np.maximum(self.opening - (best - first) - self.nudge * turn, self.least)
        passed = min(turn / (self.turns - 1), 1.0) if self.turns > 1 else 1.0
        return np.asarray(best) * 0 + (self.opening - round(spread * passed**self.exponent))

    def leaves(self, turn: int) -> bool:
        """Whether it walks away on this turn if it is not offered enough."""
        return self.kind == "impatient" and turn >= self.turns - 1


def draw_temper(rng: np.random.Generator, kind: str, *, limit: int, zone: int, most: int, turns: int) -> Temper:
    """A counterpart with this limit, which can be brought to leave the other about half of the bargaining zone.

    Args:
        rng: all randomness; always the same number of draws.
        kind: one of `TEMPERS`.
        limit: points below which it would lose.
        zone: points between its limit and the other's.
        most: points it can ask for.
        turns: own turns that the talk has room for, at least 2.
    """
    ask, keep, pace, patience = rng.random(4).tolist()
    least = limit + int(zone * 0.5 * keep)
    opening = least + max(1, round((most - least) * (0.5 + 0.5 * ask)))
    if kind == "tit-for-tat":  # who gives only what it is given must not begin too far away
        opening = min(opening, max(2 * (limit + zone // 2) - 1, least + 1))
    exponents = {"conceding": 1 / (2 + 3 * pace), "firm": 2 + 3 * pace}
    return Temper(
        kind=kind,
        opening=opening,
        least=least,
        turns=min(turns, 2 + int(patience * 3)) if kind == "impatient" else turns,
        exponent=exponents.get(kind, 1.0),
        nudge=1 + round((opening - least) * 0.1 * pace) if kind == "tit-for-tat" else 0,
    )
