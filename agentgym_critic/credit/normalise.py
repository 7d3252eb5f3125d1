"""Compare numbers within groups. A group of one, or of equal numbers, has nothing to compare: all its results are 0."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from agentgym_critic.credit.rollouts import Floats, Ints
from agentgym_critic.errors import ConfigError

__all__ = ["Scale", "leave_one_out", "normalised"]

Scale: TypeAlias = Literal["std", "none"]

CONSTANT = 1e-9
"""Deviations below this, relative to the numbers, are rounding errors."""


def normalised(x: Floats, group: Ints, *, scale: Scale = "std", eps: float = 1e-6) -> Floats:
    """``(x - mean) / (std + eps)`` within each group; without the division if `scale` is ``"none"``.

    The standard deviation is the sample's, with n - 1. The mean of each group of the result is 0.

    Args:
        x: `[n]`.
        group: `[n]`, whole numbers from 0.
        scale: ``"std"`` or ``"none"``.
        eps: keeps small deviations from becoming large.

    Raises:
        ConfigError: the scale is unknown or the lengths differ.
    """
    if scale not in ("std", "none") or x.shape != group.shape:
        raise ConfigError(f"scale is 'std' or 'none', x and group are as long; got {scale!r}, {x.shape}, {group.shape}")
    count = np.bincount(group)[group] if len(group) else np.ones(0)
    centred = x - _mean(x, group)
    spread = np.sqrt(_mean(centred**2, group) * count / np.maximum(count - 1, 1))
    size = np.sqrt(_mean(x**2, group))
    varied = spread > CONSTANT * np.maximum(size, CONSTANT)
    return np.where(varied, centred / (spread + eps if scale == "std" else 1.0), 0.0)


def leave_one_out(x: Floats, group: Ints) -> Floats:
    """``x - mean of the others of its group``; 0 in a group of one."""
    count = np.bincount(group)[group] if len(group) else np.ones(0)
    return np.where(count > 1, (x - _mean(x, group)) * count / np.maximum(count - 1, 1), 0.0)


def _mean(x: Floats, group: Ints) -> Floats:
    """The mean of its group for each number."""
    return (np.bincount(group, x) / np.maximum(np.bincount(group), 1))[group] if len(x) else x
