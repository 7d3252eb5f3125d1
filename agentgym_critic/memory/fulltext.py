"""Full-text queries over the bank's texts: safe quoting, and posting lists out of SQLite's FTS5.

FTS5's own bm25 counts every row of the table, later ones included, so a recall ranked by it would
change with what is remembered afterwards. `Postings` therefore takes from FTS5 only which texts
contain a term, and weighs terms by the texts that could be seen: BM25 with k1 = 0.
"""

from __future__ import annotations

import math
import re
import sqlite3

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings", "any_of", "search", "terms"]

_TERM = re.compile(r"[^\W_]+")
_MAX_TERMS = 64
_MAX_CACHED_TERMS = 20_000

_SEARCH = """
    WITH hits AS MATERIALIZED (SELECT rowid AS id, rank FROM texts_fts WHERE texts_fts MATCH ?)
    SELECT e.id, coalesce(task.rank, 0) + coalesce(state.rank, 0) + coalesce(action.rank, 0) + coalesce(outcome.rank, 0)
        AS score
    FROM experiences e
    LEFT JOIN hits task ON task.id = e.task LEFT JOIN hits state ON state.id = e.state
    LEFT JOIN hits action ON action.id = e.action LEFT JOIN hits outcome ON outcome.id = e.outcome
    WHERE score < 0 ORDER BY score, e.key LIMIT ?
"""


def terms(text: str) -> list[str]:
    """The distinct words and numbers of a text in order, at most 64.

    >>> terms('Put the " OR * NEAR( mug 2 on the desk_1')
    ['put', 'the', 'or', 'near', 'mug', '2', 'on', 'desk', '1']
    """
    return list(dict.fromkeys(_TERM.findall(text.lower())))[:_MAX_TERMS]


def any_of(words: list[str]) -> str:
    """An FTS5 query for texts with any of these terms: each quoted, so that none is an operator.

    >>> any_of(["near", "mug"])
    '"near" OR "mug"'
    """
    return " OR ".join(f'"{word}"' for word in words)


def search(connection: sqlite3.Connection, query: str, limit: int) -> list[int]:
    """Ids of the experiences with words of the query in any field, by the sum of bm25, best first."""
    words = terms(query)
    rows = connection.execute(_SEARCH, (any_of(words), limit)).fetchall() if words else []
    return [row[0] for row in rows]


class Postings:
    """Which texts contain a term, read from FTS5 once and then only for newer texts."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, tuple[int, NDArray[np.intp]]] = {}

    def coverage(self, text: str, visible: NDArray[np.bool_]) -> NDArray[np.float64]:
        """How much of a query text each stored text contains.

        Args:
            text: the query.
            visible: bool `[n]`: which of the n texts could be seen; n never shrinks from call to call.

        Returns:
            float64 `[n]` in [0, 1]: the summed weights of the query's terms in the text, over those
            of all terms of the query. The weight is BM25's ``ln(1 + (N - d + 0.5) / (d + 0.5))``
            for a term in d of N visible texts. Terms in more than half of them are left out.
        """
        total_seen = int(np.count_nonzero(visible))
        covered, total = np.zeros(len(visible)), 0.0
        for term in terms(text):
            rows = self._rows(term, len(visible))
            seen = int(np.count_nonzero(visible[rows]))
            if 2 * seen > total_seen:
                continue
            weight = math.log1p((total_seen - seen + 0.5) / (seen + 0.5))
            total += weight
            if seen:
                covered[rows] += weight
        return covered / total if total else covered

    def _rows(self, term: str, size: int) -> NDArray[np.intp]:
        """Rows (id - 1) of the texts among the first `size` that contain the term, ascending."""
        upto, rows = self._known.get(term, (0, np.empty(0, np.intp)))
        if upto < size:
            found = self._connection.execute(
                "SELECT rowid FROM texts_fts WHERE texts_fts MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid",
                (any_of([term]), upto, size),
            ).fetchall()
            if found:
                rows = np.concatenate([rows, np.array(found, np.intp)[:, 0] - 1])
            if len(self._known) >= _MAX_CACHED_TERMS:
                self._known.clear()
            self._known[term] = size, rows
        return rows
