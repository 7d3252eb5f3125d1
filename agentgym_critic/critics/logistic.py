"""Logistic regression that starts from what is believed before any data. Pure functions of arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_logistic", "logit", "sigmoid"]

Floats: TypeAlias = NDArray[np.float64]

MOST_STEPS = 25
CLOSE = 1e-8


def sigmoid(x: Floats) -> Floats:
    """``1 / (1 + exp(-x))`` of every number, without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def logit(p: Floats, least: float = 0.02) -> Floats:
    """``log(p / (1 - p))``, with p kept `least` away from 0 and 1."""
    kept = np.clip(p, least, 1 - least)
    return np.asarray(np.log(kept / (1 - kept)))


def fit_logistic(x: Floats, y: Floats, start: Floats, strength: float) -> Floats:
    """The weights that explain labels best, held to a start: maximum a posteriori with a Gaussian prior.

    Minimises ``-sum(y log s + (1 - y) log(1 - s)) + strength / 2 * |w - start|^2`` with ``s = sigmoid(x w)`` by
    Newton's method, halving steps that do not get lower. It is convex, so there is one minimum.

    Args:
        x: features `[n, d]`.
        y: labels in [0, 1] `[n]`.
        start: weights `[d]` before any data.
        strength: above 0; how much the start is trusted.

    Returns:
        Weights `[d]`.
    """
    weights = start.astype(np.float64)
    loss = _loss(x, y, weights, start, strength)
    for _ in range(MOST_STEPS):
        s = sigmoid(x @ weights)
        slope = x.T @ (s - y) + strength * (weights - start)
        curvature = (x * (s * (1 - s))[:, None]).T @ x + strength * np.eye(len(start))
        step = np.linalg.solve(curvature, slope)
        while (lower := _loss(x, y, weights - step, start, strength)) > loss and np.abs(step).max() > CLOSE:
            step = step / 2
        weights, loss = weights - step, lower
        if np.abs(step).max() <= CLOSE:
            break
    return weights


def _loss(x: Floats, y: Floats, weights: Floats, start: Floats, strength: float) -> float:
    z = x @ weights
    return float(np.sum(np.logaddexp(0, z) - y * z) + strength / 2 * np.sum((weights - start) ** 2))
