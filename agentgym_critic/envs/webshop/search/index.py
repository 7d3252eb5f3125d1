"""`Index`: BM25 over the documents of an SQLite file, with the scores and the order of Lucene.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 = 0.9 and
b = 0.4, in 32-bit numbers; equal scores are in the order of the documents' names. The postings
of a term are read when it is first searched for. The tables are those of `writing`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sqlite_utils import Database

from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.envs.webshop.search.ranking import Postings, Term, best
from agentgym_critic.errors import NotAStoreError

__all__ = ["Index"]

KEPT_BYTES = 64 * 2**20
"""Postings kept in memory."""


class Index:
    """Searches one file; for one thread at a time.

    Args:
        db: what `writing.build_index` has written to.

    Raises:
        NotAStoreError: the tables are not there, or are another version's.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        with _readable():
            db.execute("SELECT documents, divisors FROM terms LIMIT 0")  # refuses another version's tables at once
            (self._size,) = db.execute("SELECT count(*) FROM documents").fetchone()
        self._kept: OrderedDict[str, Postings] = OrderedDict()
        self._bytes = 0

    def search(self, query: str, limit: int = 50) -> list[tuple[str, float]]:
        """The names and scores of the documents that fit best, the best first; none if no term is known.

        Raises:
            NotAStoreError: the index is damaged.
        """
        wanted = Counter(analyse(query))
        with _readable():
            terms = [(self._postings(term), times) for term, times in wanted.items()]
            found = [
                Term(postings, self._weight(postings, times)) for postings, times in terms if len(postings.documents)
            ]
            return [(self._name(number), score) for number, score in best(found, self._size, limit)]

    def _weight(self, postings: Postings, times: int) -> np.float32:
        documents = len(postings.documents)
        rare = np.log(1 + (self._size - documents + 0.5) / (documents + 0.5))
        return np.float32(times) * np.float32(rare)

    def _postings(self, term: str) -> Postings:
        if term in self._kept:
            self._kept.move_to_end(term)
            return self._kept[term]
        row = self._db.execute("SELECT documents, divisors FROM terms WHERE term = ?", (term,)).fetchone() or (b"", b"")
        documents, divisors = np.frombuffer(row[0], dtype="<i4"), np.frombuffer(row[1], dtype="<f4")
        if len(documents) != len(divisors) or not divisors.min(initial=2) > 1:
            raise ValueError(f"what is kept of the term {term!r} does not fit together")
        postings = Postings(documents, divisors, divisors.max(initial=1))
        self._keep(term, postings)
        return postings

    def _keep(self, term: str, postings: Postings) -> None:
        self._kept[term] = postings
        self._bytes += _size(postings)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def _name(self, number: int) -> str:
        rows = self._db.execute("SELECT name FROM documents WHERE number = ?", (number,)).fetchall()
        return str(rows[0][0])


@contextmanager
def _readable() -> Iterator[None]:
    """Say what to do if the tables are missing, or if what they hold does not fit together."""
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, IndexError) as cause:
        raise NotAStoreError(f"the file holds no search index, or it is damaged ({cause}); make it again") from cause


def _size(postings: Postings) -> int:
    return 200 + postings.documents.nbytes + postings.divisors.nbytes
