"""A chance of success known from trials, how sure one is of it, and whether it rose between two moments."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, hypot, sqrt
from statistics import NormalDist, pvariance
from typing import NamedTuple

__all__ = ["Chance", "Interval", "change_interval", "probability_of_rise", "probability_of_saving"]

DISCOUNT = 0.95
"""What a success one step later is worth."""

_Z95 = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    low: float
    high: float


class Chance(NamedTuple):
    """Successes among trials, of which there is at least one."""

    successes: int
    trials: int

    @property
    def share(self) -> float:
        """The estimate, in [0, 1]."""
        return self.successes / self.trials

    @property
    def interval(self) -> Interval:
        """Wilson's score interval (1927): inside [0, 1], and of a sensible width at 0 and at 1.

        >>> [round(bound, 3) for bound in Chance(0, 10).interval]
        [0.0, 0.278]
        """
        n, share, z = self.trials, self.share, _Z95
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return Interval(max(0.0, middle - half), min(1.0, middle + half))

    @property
    def posterior(self) -> NormalDist:
        """The normal distribution with mean and variance of the posterior Beta(successes + 1/2, failures + 1/2)."""
        a, b = self.successes + 0.5, self.trials - self.successes + 0.5
        return NormalDist(a / (a + b), sqrt(a * b / ((a + b) ** 2 * (a + b + 1))))


def change_interval(before: Chance, after: Chance) -> Interval:
    """Of the difference of two independent shares: Newcombe's score interval (1998, method 10).

    >>> [round(bound, 2) for bound in change_interval(Chance(0, 10), Chance(10, 10))]
    [0.61, 1.0]
    """
    change, (low0, high0), (low1, high1) = after.share - before.share, before.interval, after.interval
    return Interval(
        max(-1.0, change - hypot(after.share - low1, high0 - before.share)),
        min(1.0, change + hypot(high1 - after.share, before.share - low0)),
    )


def probability_of_rise(before: Chance, after: Chance) -> float:
    """How likely the chance after is the higher one, the two being independent: Phi(difference / deviation).

    Equal counts give exactly 0.5: where no trial succeeds, nothing is claimed.

    >>> probability_of_rise(Chance(0, 8), Chance(0, 8)), round(probability_of_rise(Chance(2, 8), Chance(6, 8)), 2)
    (0.5, 0.99)
    """
    return 1.0 - (after.posterior - before.posterior).cdf(0.0)


def probability_of_saving(before: Sequence[float], after: Sequence[float]) -> float:
    """How likely a step brings success nearer by more than half a step, from the steps to success of paired trials.

    Success after t steps is worth ``DISCOUNT ** t``, none is worth 0. With d the mean of
    ``DISCOUNT ** (after + 1/2) - DISCOUNT ** before`` over the pairs and v its population variance,
    p = Phi(d / sqrt((v + u^2) / n)), where u = (1 - DISCOUNT) / 2, what half a step is worth, keeps a few equal
    trials from being certain. A step that changes nothing thus counts as lost; where no trial succeeds p is 0.5.

    Args:
        before: steps to success from the moment before the step, infinite where there was none.
        after: the same from the moment after it, in the same order.

    >>> inf = float("inf")
    >>> [round(probability_of_saving([6] * 8, [after] * 8), 2) for after in (5, 6, 7)]
    [0.98, 0.02, 0.0]
    >>> probability_of_saving([inf, inf], [inf, inf])
    0.5
    """
    changes = [DISCOUNT ** (late + 0.5) - DISCOUNT**soon for soon, late in zip(before, after, strict=True)]
    least = (1 - DISCOUNT) / 2
    deviation = sqrt((pvariance(changes) + least**2) / len(changes))
    return NormalDist().cdf(fsum(changes) / len(changes) / deviation)
