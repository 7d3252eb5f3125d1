"""Rank and fuse scores. Pure functions of arrays; equal scores are ordered by content, never by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fuse", "top"]

_RRF_CONSTANT = 60
"""Of reciprocal-rank fusion; the value of its paper (Cormack, Clarke and Büttcher, SIGIR 2009)."""


def top(scores: NDArray[np.float64], keys: NDArray[np.int64], depth: int) -> NDArray[np.intp]:
    """Rows of the `depth` highest scores, best first; ties by smaller key.

    Args:
        scores: `[n]`.
        keys: `[n]`, all different.
        depth: at least 0; fewer rows if there are fewer.
    """
    candidates = np.arange(len(scores))
    if depth == 0:
        return candidates[:0]
    if depth < len(scores):
        threshold = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        candidates = np.flatnonzero(scores >= threshold)  # more than depth where the last place is shared
    order = np.lexsort((keys[candidates], -scores[candidates]))
    return candidates[order[:depth]]


def fuse(
    similarity: NDArray[np.float64], coverage: NDArray[np.float64], keys: NDArray[np.int64], k: int
) -> NDArray[np.intp]:
    """Rows of the `k` best by reciprocal-rank fusion of two scores, best first.

    The candidates are the ``max(50, 4 * k)`` best by each score. One scores
    ``1 / (60 + rank by similarity) + 1 / (60 + rank by coverage)``; its rank is 1 plus the number
    of candidates with a higher score. Ties go to the higher similarity, then to the smaller key.

    Args:
        similarity: `[n]`.
        coverage: `[n]`.
        keys: `[n]`, all different.
        k: at least 1; fewer rows if there are fewer.
    """
    depth = max(50, 4 * k)
    rows = np.union1d(top(similarity, keys, depth), top(coverage, keys, depth))
    fused = _reciprocal_ranks(similarity[rows]) + _reciprocal_ranks(coverage[rows])
    order = np.lexsort((keys[rows], -similarity[rows], -fused))
    return rows[order[:k]]


def _reciprocal_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    higher = len(scores) - np.searchsorted(np.sort(scores), scores, side="right")
    return 1 / (_RRF_CONSTANT + 1 + higher)
