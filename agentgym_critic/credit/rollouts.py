"""`Rollouts`: the steps of several episodes as flat arrays, and the groups that episodes are compared in.

This is all that credit is computed from. Nothing here knows an environment, a model or a critic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Trajectory

__all__ = ["Floats", "Ints", "Rollouts", "group_of", "make_rollouts", "rollouts_of"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Rollouts(NamedTuple):
    """Episodes one after the other."""

    rewards: Floats
    """`[steps]`."""
    episode: Ints
    """`[steps]`: the number of each step's episode, from 0 and never falling."""
    group: Ints
    """`[episodes]`: episodes of equal numbers are compared with each other."""

    @property
    def returns(self) -> Floats:
        """Undiscounted return of each episode, `[episodes]`."""
        return np.bincount(self.episode, self.rewards, len(self.group)).astype(np.float64)

    @property
    def step_group(self) -> Ints:
        """The group of each step, `[steps]`."""
        return self.group[self.episode]


def make_rollouts(rewards: Sequence[ArrayLike], group: ArrayLike | None = None) -> Rollouts:
    """Episodes from their rewards.

    Args:
        rewards: an array `[steps]` for each episode.
        group: `[episodes]`, whole numbers; None compares all with each other.

    Raises:
        ConfigError: there are no episodes, a reward is not finite, or the groups are not as many.
    """
    each = [np.asarray(own, dtype=np.float64).reshape(-1) for own in rewards]
    groups = np.zeros(len(each), dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    if not each or groups.shape != (len(each),):
        raise ConfigError(
            f"at least one episode, and a group for each; got {len(each)} episodes, groups {groups.shape}"
        )
    flat = np.concatenate(each)
    if not np.isfinite(flat).all():
        raise ConfigError(f"rewards are finite numbers; got {flat[~np.isfinite(flat)][0]}")
    return Rollouts(flat, np.repeat(np.arange(len(each)), [len(own) for own in each]), groups)


def rollouts_of(trajectories: Sequence[Trajectory]) -> Rollouts:
    """Stored episodes, grouped by their `group_id`.

    Raises:
        ConfigError: there are none.
    """
    return make_rollouts(
        [[step.reward for step in trajectory.steps] for trajectory in trajectories],
        group_of([trajectory.group_id for trajectory in trajectories]),
    )


def group_of(names: Sequence[object]) -> Ints:
    """Numbers of groups, from 0 in the order of their first appearance: equal names, equal numbers."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
