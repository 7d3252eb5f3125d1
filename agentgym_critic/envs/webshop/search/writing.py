"""`build_index`: write the search index of documents into an SQLite file."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.envs.webshop.search.lengths import LENGTHS, rounded

__all__ = ["build_index"]

K1, B = 0.9, 0.4
DOCUMENT_BITS, TIMES_BITS = 28, 12
"""Of a posting in one number: term, document, how often."""

TABLES = """
    CREATE TABLE documents (number INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE terms (term TEXT PRIMARY KEY, documents BLOB, impacts BLOB) WITHOUT ROWID;
"""


class _Read(NamedTuple):
    """What was read of all documents."""

    names: list[str]
    terms: list[str]
    """By number, in the order of first occurrence."""
    postings: NDArray[np.uint64]
    """One number for each term of each document."""
    lengths: NDArray[np.int64]
    """Terms of each document."""


def build_index(db: Database, documents: Iterable[tuple[str, str]]) -> None:
    """Write the index of documents; the caller commits.

    Takes about 20 bytes of memory for each different term of a document.

    Args:
        db: the file.
        documents: names and texts; at most 2**28, names all different.
    """
    read = _read(documents)
    order = np.argsort(np.array(read.names), kind="stable")
    number = np.empty(len(order), dtype=np.uint64)
    number[order] = np.arange(len(order), dtype=np.uint64)
    db.conn.executescript(TABLES)
    db.conn.executemany("INSERT INTO documents VALUES (?, ?)", enumerate(read.names[place] for place in order))
    db.conn.executemany("INSERT INTO terms VALUES (?, ?, ?)", _rows(read, number, read.lengths[order]))


def _read(documents: Iterable[tuple[str, str]]) -> _Read:
    names: list[str] = []
    numbers: dict[str, int] = {}
    postings, lengths = array("Q"), array("q")
    for name, text in documents:
        terms = analyse(text)
        document = len(names) << TIMES_BITS
        for term, times in Counter(terms).items():
            known = numbers.setdefault(term, len(numbers))
            postings.append(known << DOCUMENT_BITS + TIMES_BITS | document | min(times, 2**TIMES_BITS - 1))
        names.append(name)
        lengths.append(len(terms))
    return _Read(names, list(numbers), np.array(postings), np.array(lengths))


def _rows(read: _Read, number: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[tuple[str, bytes, bytes]]:
    """Each term with the numbers of its documents and their impacts, sorted by term."""
    norms = _norms(lengths)
    postings = _renumbered(read.postings, number)
    postings.sort()
    terms = (postings >> np.uint64(DOCUMENT_BITS + TIMES_BITS)).astype(np.int64)
    ends = np.searchsorted(terms, np.arange(len(read.terms) + 1))
    del terms
    for known in sorted(range(len(read.terms)), key=read.terms.__getitem__):
        own = postings[ends[known] : ends[known + 1]]
        documents = (own >> np.uint64(TIMES_BITS)).astype(np.int64) & (2**DOCUMENT_BITS - 1)
        times = (own & np.uint64(2**TIMES_BITS - 1)).astype(np.float64)
        impacts = (times / (times + norms[documents])).astype("<f4")
        yield read.terms[known], documents.astype("<i4").tobytes(), impacts.tobytes()


def _renumbered(postings: NDArray[np.uint64], number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    documents = (postings >> np.uint64(TIMES_BITS)).astype(np.int64) & (2**DOCUMENT_BITS - 1)
    rest = postings & ~np.uint64((2**DOCUMENT_BITS - 1) << TIMES_BITS)
    renumbered: NDArray[np.uint64] = rest | number[documents] << np.uint64(TIMES_BITS)
    return renumbered


def _norms(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """What is added to a term's count in its share of the score: float32 `[documents]`."""
    average = np.float32(max(lengths.sum(), 1) / max(np.count_nonzero(lengths), 1))
    table = np.float32(K1) * (np.float32(1 - B) + np.float32(B) * LENGTHS.astype(np.float32) / average)
    return table.astype(np.float32)[np.searchsorted(LENGTHS, rounded(lengths))]
