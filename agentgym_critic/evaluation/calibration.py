"""How far probabilities can be believed: reliability, calibration error, the Brier score and its parts.

Everywhere `p` is float64 `[n]`, probabilities in [0, 1], and `y` bool `[n]`, what came true. Unscored
verdicts are left out by the caller, who counts them. This module knows no critic.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Record

__all__ = ["Bin", "Binning", "BrierParts", "brier_parts", "brier_score", "calibration_error", "judged", "reliability"]

Binning: TypeAlias = Literal["width", "mass"]
"""Bins of equal width in p, or of as equally many steps as ties allow."""

ABOVE = 2.0

Floats: TypeAlias = NDArray[np.float64]


class Bin(Record, frozen=True):
    """The steps whose p lies in an interval; never empty."""

    low: float
    high: float
    count: int
    mean_p: float
    frequency: float
    """Share of the steps that came true."""

    @property
    def gap(self) -> float:
        """How much too confident, above 0, or too doubtful, below."""
        return self.mean_p - self.frequency


class BrierParts(Record, frozen=True):
    """score = reliability - resolution + uncertainty, exactly, over groups of equal p (Murphy 1973)."""

    score: float
    reliability: float
    """Mean squared gap between p and the frequency at that p; 0 is best."""
    resolution: float
    """How far the frequencies lie from the base rate; the more the better."""
    uncertainty: float
    """Variance of what is predicted; not the critic's doing."""


def reliability(p: ArrayLike, y: ArrayLike, *, bins: int = 10, binning: Binning = "width") -> list[Bin]:
    """The reliability diagram: bins from low to high, empty ones left out.

    A p on the border of two bins of equal width belongs to the upper one, 1 to the last. Equal p are
    never parted, so that bins of equal mass can be fewer and uneven.

    Raises:
        ConfigError: `p` and `y` do not fit together, are empty, or a setting is out of range.
    """
    ps, ys = judged(p, y)
    if bins < 1 or binning not in ("width", "mass"):
        raise ConfigError(f"bins is at least 1 and binning 'width' or 'mass'; got {bins} and {binning!r}")
    edges = np.linspace(0, 1, bins + 1) if binning == "width" else _mass_edges(ps, bins)
    place = np.clip(np.searchsorted(edges, ps, side="right") - 1, 0, len(edges) - 2)
    return [_bin(edges, number, ps[place == number], ys[place == number]) for number in np.unique(place)]


def calibration_error(p: ArrayLike, y: ArrayLike, *, bins: int = 10, binning: Binning = "width") -> float:
    """ECE: the mean of |mean p - frequency| over bins, weighted by their steps (Naeini et al. 2015).

    Raises:
        ConfigError: as `reliability`.
    """
    diagram = reliability(p, y, bins=bins, binning=binning)
    return sum(each.count * abs(each.gap) for each in diagram) / sum(each.count for each in diagram)


def brier_score(p: ArrayLike, y: ArrayLike) -> float:
    """The mean squared difference between p and what came true (Brier 1950).

    Raises:
        ConfigError: `p` and `y` do not fit together, or are empty.
    """
    ps, ys = judged(p, y)
    return float(np.mean((ps - ys) ** 2))


def brier_parts(p: ArrayLike, y: ArrayLike) -> BrierParts:
    """The Brier score in its three parts.

    Raises:
        ConfigError: `p` and `y` do not fit together, or are empty.
    """
    ps, ys = judged(p, y)
    values, place, counts = np.unique(ps, return_inverse=True, return_counts=True)
    frequency, base = np.bincount(place, ys) / counts, ys.mean()
    share = counts / len(ps)
    return BrierParts(
        score=float(np.mean((ps - ys) ** 2)),
        reliability=float(share @ (values - frequency) ** 2),
        resolution=float(share @ (frequency - base) ** 2),
        uncertainty=float(base * (1 - base)),
    )


def judged(p: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Both as float64 `[n]`, checked.

    Raises:
        ConfigError: they differ in length, are empty, or hold what is no probability or no truth value.
    """
    ps, ys = np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if ps.ndim != 1 or ps.shape != ys.shape or not len(ps):
        raise ConfigError(f"p and y are as long as each other, at least one number each; got {ps.shape}, {ys.shape}")
    if not (possible := (ps >= 0) & (ps <= 1)).all():
        raise ConfigError(f"p are probabilities in [0, 1]; got {ps[~possible][0]}; leave unscored ones out")
    if not np.isin(ys, (0, 1)).all():
        raise ConfigError(f"y are True or False; got {ys[~np.isin(ys, (0, 1))][0]}")
    return ps, ys


def _mass_edges(p: Floats, bins: int) -> Floats:
    """0, then each p at which about another n/bins of the steps begin, then what none reaches."""
    starts = np.sort(p)[np.arange(1, bins) * len(p) // bins]
    return np.unique(np.concatenate(([0.0], starts, [ABOVE])))


def _bin(edges: Floats, number: int, p: Floats, y: Floats) -> Bin:
    return Bin(
        low=float(edges[number]),
        high=min(1.0, float(edges[number + 1])),
        count=len(p),
        mean_p=float(p.mean()),
        frequency=float(y.mean()),
    )
