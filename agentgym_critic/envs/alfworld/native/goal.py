"""Whether a goal is reached: any of many conditions, looked up by a fact that holds."""

from __future__ import annotations

from collections.abc import Iterable

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.envs.alfworld.native.fluents import bits
from agentgym_critic.envs.alfworld.native.ground import Condition

__all__ = ["Goal"]


MOST = 500_000
"""Conditions any of which is enough; official games have up to 152, houses full of one thing 4,851."""


class Goal:
    """A disjunction of conditions.

    Args:
        conditions: any of which is enough.
        initial: the initial state; each condition waits on a fact that does not hold in it, if it needs one.

    Raises:
        EnvError: there are too many conditions.
    """

    def __init__(self, conditions: Iterable[Condition], initial: int) -> None:
        self.conditions = tuple(dict.fromkeys(conditions))
        check_size("the ways to reach the goal", len(self.conditions), MOST)
        self._waiting: dict[int, list[Condition]] = {}
        self._free: list[Condition] = []
        self._mask = 0
        for condition in self.conditions:
            awaited = condition.need & ~initial or condition.need
            if not awaited:
                self._free.append(condition)
                continue
            bit = awaited.bit_length() - 1
            self._waiting.setdefault(bit, []).append(condition)
            self._mask |= 1 << bit

    def reached(self, state: int) -> bool:
        """Whether the goal holds in a state."""
        if any(condition.holds(state) for condition in self._free):
            return True
        return any(condition.holds(state) for bit in bits(state & self._mask) for condition in self._waiting[bit])
