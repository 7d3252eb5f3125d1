"""`Outlook`: the best deal that can be had of a counterpart from any moment, exactly. Privileged.

A counterpart's answer follows from its turn and the other's first and best offer so far. So all that
can still happen is a table of a few thousand moments for each turn, filled from the last turn backwards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.negotiation.tempers import Temper

__all__ = ["Moment", "Outlook", "outlook"]

_NEVER = 2**40
"""Cost of a moment from which no deal can be had."""

_POINT = 2**10
"""Cost of a point given away, in actions: more than any talk has, so that fewer points come first."""


class Moment(NamedTuple):
    """Where the talk stands when it is the agent's turn."""

    turn: int
    """Number of the agent's turn, from 0."""
    first: int = 0
    """The agent's first offer in points for the counterpart; 0 for none yet."""
    best: int = 0
    """The best one."""


class Outlook:
    """Answers for every moment of a talk with one counterpart.

    A cost is the points of a deal, and then the number of actions to it, in one number.

    Args:
        temper: the counterpart.
        rounds: turns each side has.
        most: points there are.
        opens: whether the agent speaks first.
    """

    def __init__(self, temper: Temper, rounds: int, most: int, opens: bool) -> None:
        self._temper, self._rounds, self._most, self._opens = temper, rounds, most, opens
        self._costs: list[NDArray[np.int64]] = []
        first, best = np.meshgrid(np.arange(most + 1), np.arange(most + 1), indexing="ij")
        for turn in reversed(range(rounds)):
            self._costs.insert(0, self._table(turn, first, best))

    def best(self, moment: Moment) -> tuple[int, int] | None:
        """Points of the best deal and the actions to it, the last one included; None if none can be had."""
        cost = int(self._table(*moment))
        return None if cost >= _NEVER else divmod(cost, _POINT)

    def keeping(self, moment: Moment) -> tuple[bool, bool, tuple[int, ...]]:
        """What keeps the best deal, on a shortest way: whether to accept, to reject, and which offers do."""
        least = int(self._table(*moment))
        offers = range(1, self._most + 1)
        return (
            int(self._accepting(*moment)) == least,
            int(self._rejecting(*moment)) == least,
            tuple(points for points in offers if int(self._offering(points, *moment)) == least),
        )

    def _table(self, turn: int, first: Any, best: Any) -> Any:
        costs = np.minimum(self._accepting(turn, first, best), self._rejecting(turn, first, best))
        for points in range(1, self._most + 1):
            costs = np.minimum(costs, self._offering(points, turn, first, best))
        return costs

    def _accepting(self, turn: int, first: Any, best: Any) -> Any:
        asked = turn - 1 if self._opens else turn
        return self._temper.demand(asked, first, best) * _POINT + 1 if asked >= 0 else _NEVER

    def _rejecting(self, turn: int, first: Any, best: Any) -> Any:
        return self._later(turn, first, best) if turn or not self._opens else _NEVER

    def _offering(self, points: int, turn: int, first: Any, best: Any) -> Any:
        first, best = np.where(np.equal(first, 0), points, first), np.maximum(best, points)
        answers = turn if self._opens else turn + 1
        if answers >= self._rounds:
            return _NEVER
        taken = points >= self._temper.demand(answers, first, best)
        return np.where(taken, points * _POINT + 1, self._later(turn, first, best))

    def _later(self, turn: int, first: Any, best: Any) -> Any:
        """The cost if the counterpart is offered too little, or nothing."""
        answers = turn if self._opens else turn + 1
        if answers >= self._rounds or turn + 1 >= self._rounds or self._temper.leaves(answers):
            return _NEVER
        return np.minimum(self._costs[turn + 1 - self._rounds][first, best] + 1, _NEVER)


@lru_cache(maxsize=16)
def outlook(temper: Temper, rounds: int, most: int, opens: bool) -> Outlook:
    """The outlook, remembered: it takes some hundredths of a second to make."""
    return Outlook(temper, rounds, most, opens)
