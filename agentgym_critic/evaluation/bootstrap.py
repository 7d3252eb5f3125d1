"""Intervals by resampling whole episodes: the steps of one episode are not independent of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.errors import ConfigError

__all__ = ["Interval", "bootstrap"]

Rows: TypeAlias = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate with its bounds."""

    estimate: float | None
    """None where the data allow none."""
    low: float | None
    high: float | None


def bootstrap(
    episodes: Sequence[Rows],
    statistic: Callable[[Rows], float | None],
    *,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The percentile interval of a statistic over episodes (Efron 1979; episodes are the clusters).

    Args:
        episodes: an array `[steps, …]` for each; empty ones are allowed.
        statistic: of the steps of all drawn episodes, concatenated; None if it is undefined for them.
            Draws for which it is are left out.
        resamples: number of draws, each of as many episodes as there are.
        level: share of the draws within the interval.
        seed: of the draws.

    Raises:
        ConfigError: there are no episodes, or a setting is out of range.
    """
    if not episodes or resamples < 1 or not 0 < level < 1:
        got = f"{len(episodes)}, {resamples}, {level}"
        raise ConfigError(f"at least one episode and one resample, and a level in (0, 1); got {got}")
    rng, rows = np.random.default_rng(seed), np.concatenate(list(episodes))
    ends = np.cumsum([len(each) for each in episodes])
    places = [np.arange(end - len(each), end) for each, end in zip(episodes, ends, strict=True)]
    draws = rng.integers(len(episodes), size=(resamples, len(episodes)))
    drawn = (np.concatenate([places[number] for number in draw]) for draw in draws)
    values = [value for where in drawn if len(where) and (value := statistic(rows[where])) is not None]
    estimate = statistic(rows) if len(rows) else None
    if not values:
        return Interval(estimate, None, None)
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2))
    return Interval(estimate, float(low), float(high))
