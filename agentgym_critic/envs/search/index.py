"""`Index`: full-text search over documents in memory, by SQLite's FTS5.

Ranked by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) as FTS5
computes it, with k1 = 1.2 and b = 0.75 over stemmed words; a word in the title counts ten times. Equal scores are in
the order of the documents.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from agentgym_critic.envs.search.library import Document, words

__all__ = ["Index"]

MAX_WORDS = 64
"""Different words of a query that count."""

_SEARCH = "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents, 10.0, 1.0), rowid LIMIT ?"


class Index:
    """Searches documents; for any number of threads. A pickled copy is built anew."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = tuple(documents)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE documents USING fts5 (title, text, tokenize = 'porter unicode61')")
        weakref.finalize(self, self._db.close)
        rows = ((number, *document) for number, document in enumerate(self._documents))
        self._db.executemany("INSERT INTO documents (rowid, title, text) VALUES (?, ?, ?)", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """The documents are all that is kept."""
        return Index, (self._documents,)

    def search(self, query: str, limit: int) -> tuple[int, ...]:
        """The numbers of the documents that have words of the query, the best first."""
        wanted = list(dict.fromkeys(words(query)))[:MAX_WORDS]
        if not wanted:
            return ()
        match = " OR ".join(f'"{word}"' for word in wanted)  # quoted, so that none is an operator
        with self._lock:
            return tuple(row[0] for row in self._db.execute(_SEARCH, (match, limit)))
