"""`Solution`: best play in a world whose transitions are all listed.

A table lists, for each state and action, what may happen: probability, next state, reward, and
whether the task ends there, as ``P`` does in Gymnasium's toy-text environments. Rewards are
not discounted. The module knows no environment and no words.

Value iteration comes near the best values; from there policy iteration, which solves linear
equations instead of going round in sweeps, finishes to the precision of float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from agentgym_critic.envs.adapter.arrays import Arrays, Floats, Mask
from agentgym_critic.errors import ConfigError

__all__ = ["Outcomes", "Solution", "Table"]

Outcomes: TypeAlias = Sequence[tuple[float, Any, float, bool]]
"""What an action may lead to: probability, next state, reward, whether the task ends."""

Table: TypeAlias = Mapping[Any, Mapping[Any, Outcomes]]
"""For each state and each action in it the outcomes. States in which the task has ended may be left out."""

SWEEPS = 100_000
"""Sweeps of value iteration after which values that still change count as unbounded."""

ROUNDS = 1_000
"""Rounds of policy iteration, of which a handful is used."""

NEAR = 1e-10
"""Largest change of a value, relative to the largest value, at which value iteration stops."""

TIE = 1e-9
"""Values that differ by less, relative to the largest value, are equal."""

DECIMALS = 12
"""Digits after the point of the values told."""


class Solution:
    """The best actions of every state that can be reached from some.

    The best actions have the highest expected sum of rewards; among those they need the fewest
    steps, as expected, until the task ends. Where the task cannot end without giving up some of
    that sum, all actions of the first kind are best.

    Args:
        table: all transitions.
        starts: the states to begin with.
        success: whether an outcome with this next state and reward, which ends the task, is a success.

    Raises:
        ConfigError: the table is none, or it allows a sum of rewards without bound.
    """

    def __init__(self, table: Table, starts: Iterable[Hashable], success: Callable[[Any, float], bool]) -> None:
        self._index = {state: place for place, state in enumerate(_reachable(table, starts))}
        self._actions = [list(table[state]) for state in self._index]
        arrays = _arrays(table, self._index, success)
        self._worths = _worths(arrays)
        optimal = _highest(self._worths)
        counts, ending = _steps(arrays, optimal)
        self._values = self._worths.max(axis=1)
        self._steps = np.where(ending, counts.min(axis=1), math.inf)
        self._best = np.where(ending[:, None], optimal & _highest(-counts), optimal)
        self._hopeful, _ = arrays.ways(arrays.succeeds, self._best)
        self._chancy, _ = arrays.ways((arrays.chances > 0) & (arrays.chances < 1), self._best)

    def __contains__(self, state: object) -> bool:
        """Whether the state is one of them."""
        return state in self._index

    def value(self, state: Hashable) -> float:
        """The expected sum of rewards from here on, played best."""
        return round(float(self._values[self._index[state]]), DECIMALS)

    def worths(self, state: Hashable) -> dict[Any, float]:
        """For each action the expected sum of rewards if it comes first and best play follows."""
        place = self._index[state]
        numbers = zip(self._actions[place], self._worths[place].tolist(), strict=False)
        return {action: round(worth, DECIMALS) for action, worth in numbers}

    def best(self, state: Hashable) -> list[Any]:
        """The best actions, in the table's order."""
        place = self._index[state]
        return [action for action, best in zip(self._actions[place], self._best[place], strict=False) if best]

    def steps(self, state: Hashable) -> float:
        """The expected number of steps until the task ends, played best; infinite if it cannot without loss."""
        return float(self._steps[self._index[state]])

    def certain(self, state: Hashable) -> bool:
        """Whether chance has no say in best play."""
        return not self._chancy[self._index[state]]

    def hopeful(self, state: Hashable) -> bool:
        """Whether best play may succeed."""
        return bool(self._hopeful[self._index[state]])


def _reachable(table: Table, starts: Iterable[Hashable]) -> list[Hashable]:
    """The states that the starts may lead to, themselves first; where the task has ended nothing follows."""
    found = dict.fromkeys(starts)
    waiting = list(found)
    while waiting:
        state = waiting.pop()
        if state not in table or not any(table[state].values()):
            raise ConfigError(f"the table has no actions in the state {state!r}, which can be reached")
        for outcomes in table[state].values():
            for chance, following, _, ends in outcomes:
                if chance > 0 and not ends and following not in found:
                    found[following] = None
                    waiting.append(following)
    return list(found)


def _arrays(table: Table, index: Mapping[Hashable, int], success: Callable[[Any, float], bool]) -> Arrays:
    wide = max(len(table[state]) for state in index)
    deep = max(len(outcomes) for state in index for outcomes in table[state].values())
    shape = (len(index), wide, deep)
    chances, rewards, following = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    ends, succeeds = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for state, place in index.items():
        for column, (action, outcomes) in enumerate(table[state].items()):
            total = math.fsum(outcome[0] for outcome in outcomes)
            if outcomes and not math.isclose(total, 1.0, abs_tol=1e-9):
                raise ConfigError(
                    f"the chances of action {action!r} in state {state!r} of the table add up to {total:g}, not to 1"
                )
            for depth, (chance, after, reward, end) in enumerate(outcomes):
                at = place, column, depth
                chances[at], rewards[at], ends[at], following[at] = chance, reward, end, index.get(after, 0)
                succeeds[at] = bool(end) and chance > 0 and success(after, reward)
    return Arrays(chances, following, rewards, ends, succeeds, allowed=chances.sum(axis=-1) > 0)


def _worths(arrays: Arrays) -> Floats:
    """`[states, actions]`: the highest expected sum of rewards that begins with the action."""
    worths = _near_worths(arrays)
    for _ in range(ROUNDS):
        optimal = _highest(worths)
        counts, ending = _steps(arrays, optimal)
        values = arrays.evaluate(arrays.rewards, counts.argmin(axis=1), ending, beyond=worths.max(axis=1))
        worths = arrays.expect(arrays.rewards, values, otherwise=-math.inf)
        if (_highest(worths) == optimal).all():
            break
    return worths


def _near_worths(arrays: Arrays) -> Floats:
    values = np.zeros(len(arrays.chances))
    for _ in range(SWEEPS):
        worths = arrays.expect(arrays.rewards, values, otherwise=-math.inf)
        better = worths.max(axis=1)
        change, values = np.abs(better - values).max(), better
        if change <= NEAR * max(1.0, float(np.abs(values).max())):
            return worths
    raise ConfigError(
        "the table allows a sum of rewards without bound, for example by going in circles; change it, or pass "
        "oracle=, a function of the environment"
    )


def _steps(arrays: Arrays, optimal: Mask) -> tuple[Floats, Mask]:
    """The fewest expected steps, by optimal actions, until the task ends or no longer can.

    Returns:
        Steps `[states, actions]`, infinite for other actions; and the states from which it can end.
    """
    ending, actions = arrays.ways(arrays.ends, optimal)
    for _ in range(ROUNDS):
        steps = arrays.evaluate(np.ones(1), actions, ending, beyond=np.zeros(len(ending)))
        counts = np.where(optimal, arrays.expect(np.ones(1), steps, otherwise=math.inf), math.inf)
        fewer = ending & (counts.min(axis=1) < steps - TIE * max(1.0, float(steps.max())))
        if not fewer.any():
            break
        actions[fewer] = counts[fewer].argmin(axis=1)
    return counts, ending


def _highest(numbers: Floats) -> Mask:
    """`[states, actions]`: which numbers are the highest of their state, up to a tie."""
    highest = numbers.max(axis=1, keepdims=True)
    mask: Mask = numbers >= highest - TIE * max(1.0, float(np.abs(highest).max()))
    return mask
