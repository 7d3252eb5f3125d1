"""How good a policy is, told from its episodes: success with its interval, by type of task; and two policies compared.

Knows trajectories only. Two policies are compared on the same tasks and seeds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from agentgym_critic.critics.intervals import share_range
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation.bootstrap import Interval, bootstrap
from agentgym_critic.evaluation.pilot import sign_test
from agentgym_critic.types import Record, Trajectory

__all__ = ["PolicyComparison", "PolicyScore", "compare_policies", "score_policy", "task_type", "wilson"]


class PolicyScore(Record, frozen=True):
    """What episodes say of a policy."""

    episodes: int
    successes: int
    success: Interval
    """Share, with Wilson's interval."""
    episode_return: float
    """Mean, undiscounted."""
    steps: float
    """Mean of all episodes."""
    invalid_actions: int
    by_type: dict[str, PolicyScore] = {}
    """The same by type of task, where there are several."""


class PolicyComparison(Record, frozen=True):
    """Two policies on the same tasks and seeds."""

    pairs: int
    only_first: int
    """Pairs in which only the first policy succeeded."""
    only_second: int
    difference: Interval
    """Success of the second less that of the first; by resampling of pairs."""
    p_value: float
    """Of the exact sign test."""


def score_policy(trajectories: Iterable[Trajectory], *, level: float = 0.95) -> PolicyScore:
    """Sum up the episodes of a policy.

    Args:
        trajectories: at least one.
        level: of the intervals.

    Raises:
        ConfigError: there are none, or the level is none.
    """
    every = list(trajectories)
    by_type: dict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in every:
        by_type[task_type(trajectory.task_id)].append(trajectory)
    score = _score(every, level)
    if len(by_type) < 2 or "" in by_type:
        return score
    return PolicyScore(
        **{name: getattr(score, name) for name in PolicyScore.__struct_fields__ if name != "by_type"},
        by_type={name: _score(own, level) for name, own in sorted(by_type.items())},
    )


def compare_policies(
    first: Sequence[Trajectory], second: Sequence[Trajectory], *, level: float = 0.95, resamples: int = 1_000
) -> PolicyComparison:
    """Compare two policies, paired by task and seed.

    Args:
        first: its episodes, one for each task and seed.
        second: those of the other, in any order.
        level: of the interval.
        resamples: likewise.

    Raises:
        ConfigError: they did not play the same.
    """
    one, other = _by_group(first), _by_group(second)
    if not one or one.keys() != other.keys():
        raise ConfigError(
            f"policies are compared on the same tasks and seeds; {len(one.keys() - other.keys())} are the first's "
            f"alone, {len(other.keys() - one.keys())} the second's, {len(one.keys() & other.keys())} shared"
        )
    outcomes = [np.array([[one[key].success, other[key].success]], dtype=float) for key in one]
    rows = np.concatenate(outcomes)
    only_first, only_second = (int(((rows[:, a] == 1) & (rows[:, 1 - a] == 0)).sum()) for a in (0, 1))
    return PolicyComparison(
        pairs=len(rows),
        only_first=only_first,
        only_second=only_second,
        difference=bootstrap(
            outcomes, lambda drawn: float((drawn[:, 1] - drawn[:, 0]).mean()), level=level, resamples=resamples
        ),
        p_value=sign_test(only_first, only_second),
    )


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share (1927).

    Raises:
        ConfigError: there are no trials, or a number is out of range.
    """
    if not 0 <= successes <= trials or not trials or not 0 < level < 1:
        raise ConfigError(f"successes of at least one trial, and a level in (0, 1); got {successes}, {trials}, {level}")
    return Interval(successes / trials, *share_range(successes, trials, level))


def task_type(task_id: str) -> str:
    """The type that a task's id begins with, in words joined by ``_``; empty if it has none.

    >>> task_type("pick_and_place_simple-Mug-None-Shelf-1/trial_1"), task_type("Sokoban 17")
    ('pick_and_place_simple', '')
    """
    found = re.match(r"[a-z]+(?:_[a-z]+)+(?=-)", task_id)
    return found[0] if found else ""


def _score(own: Sequence[Trajectory], level: float) -> PolicyScore:
    successes = sum(each.success for each in own)
    return PolicyScore(
        episodes=len(own),
        successes=successes,
        success=wilson(successes, len(own), level=level),
        episode_return=fmean(each.episode_return for each in own),
        steps=fmean(len(each.steps) for each in own),
        invalid_actions=sum(step.invalid_action for each in own for step in each.steps),
    )


def _by_group(trajectories: Sequence[Trajectory]) -> dict[str, Trajectory]:
    found = {each.group_id: each for each in trajectories}
    if len(found) < len(trajectories):
        raise ConfigError("a policy is compared by one episode for each task and seed; there are several of one")
    return found
