"""Lengths of documents in one byte, as Lucene keeps them: exact up to 40 terms, with four significant bits beyond."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LENGTHS", "rounded"]

_FREE = 24
"""Lengths below this stand for themselves."""


def _decoded(code: int) -> int:
    if code < _FREE:
        return code
    rest = code - _FREE
    shift = (rest >> 3) - 1
    return _FREE + (rest & 7 if shift < 0 else (rest & 7 | 8) << shift)


LENGTHS: NDArray[np.int64] = np.array([_decoded(code) for code in range(256)], dtype=np.int64)
"""What each byte stands for, ascending: int64 `[256]`."""


def rounded(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lengths as one byte has them: the next smaller that one stands for. Int64, the shape of the argument."""
    return LENGTHS[np.searchsorted(LENGTHS, lengths, side="right") - 1]
