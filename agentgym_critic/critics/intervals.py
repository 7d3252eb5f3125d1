"""How sure a mean or a share of a few samples is. Pure functions of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, pvariance
from typing import NamedTuple

__all__ = ["Range", "chance_above", "difference_range", "share_range"]

_NORMAL = NormalDist()
_Z95 = _NORMAL.inv_cdf(0.975)


class Range(NamedTuple):
    """An interval, of 95 % unless said otherwise."""

    low: float
    high: float


def share_range(successes: int, n: int, level: float = 0.95) -> Range:
    """Of the chance behind `successes` in `n` tries (Wilson 1927).

    >>> low, high = share_range(5, 10)
    >>> round(low, 3), round(high, 3)
    (0.237, 0.763)
    """
    z = _NORMAL.inv_cdf((1 + level) / 2)
    share, z2 = successes / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Range(max(0.0, middle - half), min(1.0, middle + half))


def chance_above(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The chance that the mean behind `ours` is the higher one, by a normal approximation; 0.5 if nothing tells.

    ``Phi(z)`` with ``z = (mean(ours) - mean(theirs)) / sqrt(s2 * (1/n + 1/m))`` and ``s2`` the variance of all
    samples together, so that a few equal samples are not taken for certainty.

    >>> chance_above([0.0, 0.0], [0.0, 0.0])
    0.5
    >>> round(chance_above([1.0, 1.0], [0.0, 0.0]), 3)
    0.977
    """
    error = _standard_error(ours, theirs)
    return _NORMAL.cdf((fmean(ours) - fmean(theirs)) / error) if error > 0 else 0.5


def difference_range(ours: Sequence[float], theirs: Sequence[float]) -> Range:
    """Of the difference of the two means, by the same approximation."""
    difference, half = fmean(ours) - fmean(theirs), _Z95 * _standard_error(ours, theirs)
    return Range(difference - half, difference + half)


def _standard_error(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return math.sqrt(pvariance([*ours, *theirs]) * (1 / len(ours) + 1 / len(theirs)))
