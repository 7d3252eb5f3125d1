"""Exact vector search in memory, with results that are equal to the last bit everywhere.

Vectors are kept in fixed point: scaled so that every sum of products stays below 2**24, where
float32 holds integers exactly. A dot product is then the same number whatever the BLAS, the
number of threads or the number of rows beside it; a ranking can depend on nothing but its rows.
The price is an error of about 1e-4 in a cosine.

Every text costs ``4 * dim`` bytes here. An approximate index for millions of texts would take
`VectorIndex`'s place.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIXED_POINT", "Growing", "VectorIndex", "to_fixed_point"]

FIXED_POINT = 4000
"""Length of a unit vector in fixed point; with rounding, (4000 + sqrt(dim)/2)**2 < 2**24 up to dim 36,000."""

_CACHED_QUERIES = 64

Scalar = TypeVar("Scalar", bound=np.generic)


def to_fixed_point(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Direction of each vector as int16 `[n, dim]` of length `FIXED_POINT`; zero stays zero."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    return np.rint(exact * (FIXED_POINT / np.where(lengths > 0, lengths, 1))).astype(np.int16)


class Growing(Generic[Scalar]):
    """An array that grows along its first axis at amortised constant cost."""

    def __init__(self, dtype: type[Scalar], *shape: int) -> None:
        self._buffer: NDArray[Scalar] = np.empty((64, *shape), dtype)
        self._size = 0

    def __len__(self) -> int:
        """Number of rows."""
        return self._size

    @property
    def values(self) -> NDArray[Scalar]:
        """All rows: a view, valid until the next `extend`."""
        return self._buffer[: self._size]

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows, converted to the array's dtype."""
        end = self._size + len(rows)
        if end > len(self._buffer):
            grown = np.empty((max(end, 2 * len(self._buffer)), *self._buffer.shape[1:]), self._buffer.dtype)
            grown[: self._size] = self.values
            self._buffer = grown
        self._buffer[self._size : end] = rows
        self._size = end


class VectorIndex:
    """Cosine similarity of a query to every vector added so far. One thread at a time."""

    def __init__(self, dim: int) -> None:
        self._vectors = Growing(np.float32, dim)
        self._recent: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self._vectors)

    def add(self, vectors: NDArray[np.int16]) -> None:
        """Append fixed-point vectors `[n, dim]`."""
        self._vectors.extend(vectors)

    def cosines(self, query: NDArray[np.int16]) -> NDArray[np.float32]:
        """Exact float32 `[len(self)]`: scalar products in units of ``FIXED_POINT ** 2``.

        Recent queries are remembered and only compared with what has been added since: the steps
        of an episode share its task, the candidates of a step its state.
        """
        name = query.tobytes()
        known = self._recent.pop(name, np.empty(0, np.float32))
        if len(known) < len(self):
            # not `@`: threads of a BLAS that wait for a busy core cost far more than they save
            fresh = np.einsum("ij,j->i", self._vectors.values[len(known) :], query.astype(np.float32))
            known = np.concatenate([known, fresh]) if len(known) else fresh
        self._recent[name] = known
        if len(self._recent) > _CACHED_QUERIES:
            self._recent.popitem(last=False)
        return known
