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

PART = 1_000_000
"""Postings that are renumbered together."""

TABLES = """
    CREATE TABLE documents (number INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE terms (term TEXT PRIMARY KEY, documents BLOB, divisors BLOB) WITHOUT ROWID;
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

    A document without a term is left out: it is never found, and Lucene does not count it. Takes about 10 bytes of
    memory for each different term of a document.

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
        if not terms:
            continue
        document = len(names) << TIMES_BITS
        for term, times in Counter(terms).items():
            known = numbers.setdefault(term, len(numbers))
            postings.append(known << DOCUMENT_BITS + TIMES_BITS | document | min(times, 2**TIMES_BITS - 1))
        names.append(name)
        lengths.append(len(terms))
    return _Read(names, list(numbers), np.frombuffer(postings, dtype=np.uint64), np.frombuffer(lengths, dtype=np.int64))


def _rows(read: _Read, number: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[tuple[str, bytes, bytes]]:
    """Each term with the numbers of its documents and the divisors of its weight, sorted by term."""
    shares = _shares(lengths)
    _renumber(read.postings, number)
    read.postings.sort()
    starts = np.arange(len(read.terms) + 1, dtype=np.uint64) << np.uint64(DOCUMENT_BITS + TIMES_BITS)
    ends = np.searchsorted(read.postings, starts)
    for known in sorted(range(len(read.terms)), key=read.terms.__getitem__):
        own = read.postings[ends[known] : ends[known + 1]]
        documents, times = _documents(own), (own & np.uint64(2**TIMES_BITS - 1)).astype(np.float32)
        divisors = np.float32(1) + times * shares[documents]
        yield read.terms[known], documents.astype("<i4").tobytes(), divisors.astype("<f4").tobytes()


def _documents(postings: NDArray[np.uint64]) -> NDArray[np.int64]:
    documents: NDArray[np.int64] = (postings >> np.uint64(TIMES_BITS)).astype(np.int64) & (2**DOCUMENT_BITS - 1)
    return documents


def _renumber(postings: NDArray[np.uint64], number: NDArray[np.uint64]) -> None:
    """Replace the numbers of the documents where they are, a part at a time: all at once would need much memory."""
    for start in range(0, len(postings), PART):
        part = postings[start : start + PART]
        renumbered = number[_documents(part)] << np.uint64(TIMES_BITS)
        part &= ~np.uint64((2**DOCUMENT_BITS - 1) << TIMES_BITS)
        part |= renumbered


def _shares(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """What one occurrence adds to the divisor in each document, as Lucene computes it: float32 `[documents]`."""
    average = np.float32(max(lengths.sum(), 1) / max(len(lengths), 1))
    k1, b = np.float32(K1), np.float32(B)
    table = np.float32(1) / (k1 * ((np.float32(1) - b) + b * LENGTHS.astype(np.float32) / average))
    return table.astype(np.float32)[np.searchsorted(LENGTHS, rounded(lengths))]
