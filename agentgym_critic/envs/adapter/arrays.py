"""A transition table as arrays, and the few things that are computed with all states at once.

Arrays of outcomes have the shape ``[states, actions, outcomes]``, masks of actions ``[states,
actions]``. Nothing here knows what is best; `table` decides that.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Arrays", "Floats", "Mask", "Places"]

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.int64]


class Arrays(NamedTuple):
    """A table, padded with outcomes of probability 0."""

    chances: Floats
    following: Places
    rewards: Floats
    ends: Mask
    succeeds: Mask
    allowed: Mask
    """`[states, actions]`: whether the action exists in the state."""

    def expect(self, of_outcome: NDArray[Any], of_state: Floats, *, otherwise: float) -> Floats:
        """`[states, actions]`: the expected sum of both; the states after an end add nothing."""
        sums = (self.chances * (of_outcome + np.where(self.ends, 0.0, of_state[self.following]))).sum(axis=-1)
        return np.where(self.allowed, sums, otherwise)

    def ways(self, goal: Mask, through: Mask) -> tuple[Mask, Places]:
        """From where actions of `through` may lead to outcomes of `goal`.

        Returns:
            The states, and for each of them an action that may lead nearer.
        """
        possible = self.chances > 0
        reached, action = np.zeros(len(through), dtype=bool), np.zeros(len(through), dtype=np.int64)
        while True:
            nearer = (possible & (goal | (~self.ends & reached[self.following]))).any(axis=-1) & through
            new = nearer.any(axis=-1) & ~reached
            if not new.any():
                return reached, action
            action[new] = nearer[new].argmax(axis=-1)
            reached = reached | new

    def evaluate(self, of_outcome: NDArray[Any], actions: Places, states: Mask, beyond: Floats) -> Floats:
        """`[states]`: the expected sum of a number over all outcomes to come.

        Args:
            of_outcome: the number.
            actions: what is done in each state.
            states: where the sum is taken; sooner or later one leaves them, or the task ends.
            beyond: the sums of all other states.
        """
        inside = np.flatnonzero(states)
        here = inside, actions[inside]
        chances, following, ends = self.chances[here], self.following[here], self.ends[here]
        moves = np.zeros((len(inside), len(states)))
        np.add.at(moves, (np.arange(len(inside))[:, None], following), np.where(ends, 0.0, chances))
        once = (chances * np.broadcast_to(of_outcome, self.chances.shape)[here]).sum(axis=-1)
        sums = np.where(states, 0.0, beyond)
        sums[inside] = np.linalg.solve(np.eye(len(inside)) - moves[:, inside], once + moves @ sums)
        return sums
