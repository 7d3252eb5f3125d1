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
    """Rows of the `k` best by reciprocal-rank fusion of two rankings, best first.

    A row scores ``sum of 1 / (60 + rank)`` over the rankings it is in, with ranks from 1. Each
    ranking is cut at ``max(50, 4 * k)``; only rows with a positive coverage are in the second.
    Ties go to the higher similarity, then to the smaller key.
    """
    depth = max(50, 4 * k)
    covered = np.flatnonzero(coverage > 0)
    rankings = top(similarity, keys, depth), covered[top(coverage[covered], keys[covered], depth)]
    rows = np.unique(np.concatenate(rankings))
    fused = np.zeros(len(rows))
    for ranking in rankings:
        fused[np.searchsorted(rows, ranking)] += 1 / (_RRF_CONSTANT + 1 + np.arange(len(ranking)))
    order = np.lexsort((keys[rows], -similarity[rows], -fused))
    return rows[order[:k]]
