"""`Index`: BM25 over the documents of an SQLite file, with the scores and the order of Lucene.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 = 0.9 and
b = 0.4, in 32-bit numbers; equal scores are in the order of the documents' names. The postings
of a term are read when it is first searched for. The tables are those of `writing`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.errors import NotAStoreError

__all__ = ["Index"]

KEPT_BYTES = 64 * 2**20
"""Postings kept in memory."""


class _Postings(NamedTuple):
    """The documents of a term."""

    documents: NDArray[np.int32]
    """Their numbers, ascending."""
    impacts: NDArray[np.float32]
    """What each adds to the score, for a weight of 1."""


class Index:
    """Searches one file; for one thread at a time.

    Args:
        db: what `writing.build_index` has written to.

    Raises:
        NotAStoreError: the tables are not there.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        try:
            (self._size,) = db.execute("SELECT count(*) FROM documents").fetchone()
        except sqlite3.DatabaseError as cause:
            raise NotAStoreError(f"the file holds no search index ({cause}); make it again") from cause
        self._kept: OrderedDict[str, _Postings] = OrderedDict()
        self._bytes = 0

    def search(self, query: str, limit: int = 50) -> list[tuple[str, float]]:
        """The names and scores of the documents that fit best, the best first; none if no term is known."""
        wanted = [(self._postings(term), times) for term, times in Counter(analyse(query)).items()]
        found = [(postings, times) for postings, times in wanted if len(postings.documents)]
        if not found:
            return []
        scores = np.zeros(self._size)
        for postings, times in found:
            scores[postings.documents] += postings.impacts * self._weight(len(postings.documents), times)
        rounded = scores.astype(np.float32)
        return [(self._name(number), float(rounded[number])) for number in _best(rounded, limit)]

    def _weight(self, documents: int, times: int) -> np.float32:
        rare = np.log(1 + (self._size - documents + 0.5) / (documents + 0.5))
        return np.float32(times) * np.float32(rare)

    def _postings(self, term: str) -> _Postings:
        if term in self._kept:
            self._kept.move_to_end(term)
            return self._kept[term]
        row = self._db.execute("SELECT documents, impacts FROM terms WHERE term = ?", (term,)).fetchone() or (b"", b"")
        postings = _Postings(np.frombuffer(row[0], dtype="<i4"), np.frombuffer(row[1], dtype="<f4"))
        self._keep(term, postings)
        return postings

    def _keep(self, term: str, postings: _Postings) -> None:
        self._kept[term] = postings
        self._bytes += _size(postings)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def _name(self, number: int) -> str:
        return str(self._db.execute("SELECT name FROM documents WHERE number = ?", (int(number),)).fetchone()[0])


def _size(postings: _Postings) -> int:
    return 200 + postings.documents.nbytes + postings.impacts.nbytes


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """The numbers of the highest scores above 0, the highest first, equal ones ascending."""
    if limit < len(scores):
        least = np.partition(scores, -limit)[-limit]
        candidates = np.flatnonzero((scores >= least) & (scores > 0))
    else:
        candidates = np.flatnonzero(scores)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:limit]
