"""How well scores tell what comes true from what does not: AUC and selective risk.

Only the order of `p` counts here, not its size. Arrays are as in `calibration`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym_critic.evaluation.calibration import judged

__all__ = ["area_under_roc", "risk_at", "selective_risk"]

Floats: TypeAlias = NDArray[np.float64]


def area_under_roc(p: ArrayLike, y: ArrayLike) -> float | None:
    """AUC: the chance that a step that came true has the higher p than one that did not, equal ones half.

    None if all steps came true, or none did. Computed from ranks (Mann and Whitney 1947).

    Raises:
        ConfigError: `p` and `y` do not fit together, or are empty.
    """
    ps, ys = judged(p, y)
    true, false = int(ys.sum()), int(len(ys) - ys.sum())
    if not true or not false:
        return None
    _, place, counts = np.unique(ps, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    rank = (last - (counts - 1) / 2)[place]  # the mean rank, from 1, of all with this p
    return float((rank[ys == 1].sum() - true * (true + 1) / 2) / (true * false))


def risk_at(p: ArrayLike, y: ArrayLike, coverage: float) -> float:
    """The share of wrong verdicts among the most confident `coverage` of all, at least one.

    A verdict is wrong that says more than 0.5 of what did not come true, or less of what did; 0.5 is
    half wrong. Confidence is the distance from 0.5. Equal confidences count in proportion.

    Args:
        p: probabilities `[n]`.
        y: what came true `[n]`.
        coverage: in (0, 1].

    Raises:
        ConfigError: `p` and `y` do not fit together, or are empty.
    """
    risks = selective_risk(p, y)
    return float(risks[max(1, round(coverage * len(risks))) - 1])


def selective_risk(p: ArrayLike, y: ArrayLike) -> Floats:
    """The risk-coverage curve, float64 `[n]`: `risk_at` for the first, the first two, … verdicts.

    Source: El-Yaniv and Wiener 2010. Its mean is the area under that curve, AURC.

    Raises:
        ConfigError: `p` and `y` do not fit together, or are empty.
    """
    ps, ys = judged(p, y)
    wrong = np.where(ps == 0.5, 0.5, (ps > 0.5) != (ys == 1)).astype(np.float64)
    confidence = np.abs(ps - 0.5)
    _, place, counts = np.unique(-confidence, return_inverse=True, return_counts=True)
    shared = np.repeat(np.bincount(place, wrong) / counts, counts)
    return np.asarray(np.cumsum(shared) / np.arange(1, len(ps) + 1))
