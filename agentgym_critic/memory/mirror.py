"""What ranking needs of a bank, kept in memory and brought up to date from the file.

Row n mirrors id n + 1, of texts and of experiences. One thread at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.errors import NotAStoreError
from agentgym_critic.memory.fulltext import Postings
from agentgym_critic.memory.index import FIXED_POINT, Growing, VectorIndex
from agentgym_critic.memory.ranking import fuse

__all__ = ["ANY_POSITION", "Mirror", "Query", "Ranked"]

ANY_POSITION = 2**63 - 1
"""As a cut: after every stream position."""


class Query(NamedTuple):
    """One field of what is looked for: task, state or action."""

    text: str
    vector: NDArray[np.int16]
    weight: float


class Ranked(NamedTuple):
    """An experience that was found."""

    id: int
    similarity: float


class Mirror:
    """Vectors of all texts; fields, polarity and first position of all experiences."""

    def __init__(self, connection: sqlite3.Connection, dim: int) -> None:
        self._connection = connection
        self._vectors = VectorIndex(dim)
        self._postings = Postings(connection)
        self._texts_first_seen = Growing(np.int64)
        self._keys = Growing(np.int64)
        self._fields = Growing(np.intp), Growing(np.intp), Growing(np.intp)
        self._productive = Growing(np.bool_)
        self._first_seen = Growing(np.int64)
        self._trajectories = 0
        self._version: int | None = None

    def expire(self) -> None:
        """Tell that this connection has written; what others write is noticed by itself."""
        self._version = None

    def sync(self) -> None:
        """Load what has been committed since the last time.

        Raises:
            NotAStoreError: rows have been deleted from the file.
        """
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return
        self._connection.execute("BEGIN")  # one consistent view of all tables
        try:
            self._load_texts()
            self._load_experiences()
            self._load_sightings()
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._version = version

    def _load_texts(self) -> None:
        rows = self._rows_after("SELECT id, vector FROM texts WHERE id > ? ORDER BY id", len(self._vectors))
        if rows:
            vectors = np.frombuffer(b"".join(row[1] for row in rows), np.dtype("<i2"))
            self._vectors.add(vectors.reshape(len(rows), -1))
            self._texts_first_seen.extend(np.full(len(rows), ANY_POSITION))

    def _load_experiences(self) -> None:
        rows = self._rows_after(
            "SELECT id, key, task, state, action, productive FROM experiences WHERE id > ? ORDER BY id", len(self._keys)
        )
        if rows:
            columns = np.array(rows, np.int64).T
            self._keys.extend(columns[1])
            for field, ids in zip(self._fields, columns[2:5], strict=True):
                field.extend(ids - 1)
            self._productive.extend(columns[5])
            self._first_seen.extend(np.full(len(rows), ANY_POSITION))

    def _load_sightings(self) -> None:
        """Lower the first positions of what new trajectories have shown."""
        rows = self._connection.execute(
            "SELECT max(t.id), s.experience - 1, min(t.position) FROM trajectories t "
            "JOIN sightings s ON s.trajectory = t.id WHERE t.id > ? GROUP BY s.experience",
            (self._trajectories,),
        ).fetchall()
        if rows:
            last, experiences, positions = np.array(rows, np.int64).T
            self._trajectories = int(last.max())
            np.minimum.at(self._first_seen.values, experiences, positions)
            for field in self._fields:
                np.minimum.at(self._texts_first_seen.values, field.values[experiences], positions)

    def _rows_after(self, select: str, known: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(select, (known,)).fetchall()
        if rows and rows[-1][0] != known + len(rows):
            raise NotAStoreError("rows have been deleted from the memory bank; export it and import it into a new one")
        return rows

    def nearest(self, queries: Sequence[Query], k: int, before: int) -> tuple[list[Ranked], list[Ranked]]:
        """The k best productive and the k best unproductive experiences seen before a position."""
        visible = self._first_seen.values < before
        if not visible.any():
            return [], []
        similarity = self._similarity(queries)
        coverage = self._coverage(queries, self._texts_first_seen.values < before)
        productive = self._productive.values
        polarities = visible & productive, visible & ~productive
        found = [self._best(np.flatnonzero(rows), similarity, coverage, k) for rows in polarities]
        return found[0], found[1]

    def drawn(self, queries: Sequence[Query], k: int, before: int) -> tuple[list[Ranked], list[Ranked]]:
        """K productive and k unproductive experiences seen before a position, by a draw that the query decides."""
        visible, productive = self._first_seen.values < before, self._productive.values
        similarity = self._similarity(queries)
        seed = blake2b("\0".join(query.text for query in queries).encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(seed, "little"))
        groups = (np.flatnonzero(visible & productive), np.flatnonzero(visible & ~productive))
        drawn = [self._by_key(rows)[rng.permutation(len(rows))[:k]] for rows in groups]
        first, second = ([_ranked(row, similarity) for row in rows] for rows in drawn)
        return first, second

    def _by_key(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows in an order that does not depend on when they were written."""
        return rows[np.argsort(self._keys.values[rows])]

    def _similarity(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Weighted cosines of the fields, float64 `[experiences]`."""
        total = np.zeros(len(self._keys))
        for query, field in zip(queries, self._fields, strict=True):
            total += (query.weight / FIXED_POINT**2) * self._vectors.cosines(query.vector)[field.values]
        return total

    def _coverage(self, queries: Sequence[Query], visible: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Weighted shares of the fields' terms, float64 `[experiences]`."""
        total = np.zeros(len(self._keys))
        for query, field in zip(queries, self._fields, strict=True):
            total += query.weight * self._postings.coverage(query.text, visible)[field.values]
        return total

    def _best(
        self, rows: NDArray[np.intp], similarity: NDArray[np.float64], coverage: NDArray[np.float64], k: int
    ) -> list[Ranked]:
        best = rows[fuse(similarity[rows], coverage[rows], self._keys.values[rows], k)]
        return [_ranked(row, similarity) for row in best]


def _ranked(row: np.intp, similarity: NDArray[np.float64]) -> Ranked:
    return Ranked(int(row) + 1, round(float(similarity[row]), 3))
