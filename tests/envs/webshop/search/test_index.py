"""The index against Lucene's scores to the last bit, against a plain scorer, and on damaged files."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.envs.webshop.search.index import Index
from agentgym_critic.envs.webshop.search.lengths import LENGTHS
from agentgym_critic.envs.webshop.search.writing import build_index
from agentgym_critic.errors import NotAStoreError

Found = list[tuple[str, float]]

DOCUMENTS = [
    ("D1", "red wool shirt for men"),
    ("D2", "blue wool shirts, red buttons and a red collar"),
    ("D3", "a lamp " + "of brass and wool " * 40),  # longer than a byte holds exactly
    ("D4", "\u2605 red star lamp \u2605"),
    ("D5", "the and of"),  # without a term, and so not counted
    ("D6", "red wool shirt for men"),  # equal to D1
    ("D7", ""),
]
LUCENE = {  # seen with Lucene 8.7
    "red wool": "D2 0x1.8e0dbcp-2 D1 0x1.6da75p-2 D6 0x1.6da75p-2 D3 0x1.18c99ep-2 D4 0x1.69a74cp-3",
    "the men's shirts": "D1 0x1.c1754cp-1 D6 0x1.c1754cp-1 D2 0x1.4b8a4ep-2",
    "lamp \u2605": "D4 0x1.978bp+0 D3 0x1.2e4748p-2",
    "red red wool wool wool lamp": "D3 0x1.1e2908p+0 D2 0x1.e688p-1 D1 0x1.c91124p-1 D6 0x1.c91124p-1 D4 0x1.c7f896p-1",
    "brass": "D3 0x1.524486p+0",
    "nothing here": "",
}


def index_of(documents: list[tuple[str, str]]) -> Index:
    db = Database(memory=True)
    build_index(db, documents)
    return Index(db)


@pytest.mark.parametrize("query", LUCENE)
def test_scores_of_lucene(query: str) -> None:
    names, scores = LUCENE[query].split()[::2], map(float.fromhex, LUCENE[query].split()[1::2])
    assert index_of(DOCUMENTS[::-1]).search(query) == list(zip(names, scores, strict=True))


def test_fewer_than_all() -> None:
    index = index_of(DOCUMENTS)
    for limit in range(6):
        assert index.search("red wool lamp", limit) == index.search("red wool lamp")[:limit]


WORDS = ["red", "blue", "wool", "silk", "shirt", "lamp", "brass", "cap", "pan", "star"]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 400), limit=st.integers(1, 60), times=st.integers(1, 2_000))
def test_what_is_left_out_does_not_matter(seed: int, size: int, limit: int, times: int) -> None:
    """Many documents with rare and with common words: most are left out on the way to the result."""
    rng = np.random.default_rng(seed)
    rarity = 1 / np.arange(1, len(WORDS) + 1) ** rng.uniform(0, 3)
    drawn = [rng.choice(WORDS, rng.integers(0, 56), p=rarity / rarity.sum()).tolist() for _ in range(size)]
    documents = {f"D{place:03}": words for place, words in enumerate(drawn)}
    query = Counter({word: int(rng.integers(1, times + 1)) for word in rng.choice(WORDS, 6)})
    index = index_of([(name, " ".join(words)) for name, words in documents.items()])
    assert index.search(" ".join(query.elements()), limit) == plainly(documents, query)[:limit]


def plainly(documents: dict[str, list[str]], query: Counter[str]) -> Found:
    """Every document's sum, in 32-bit numbers and in the order of operations of Lucene."""
    counts = {name: Counter(words) for name, words in documents.items() if words}
    average = np.float32(sum(count.total() for count in counts.values()) / max(len(counts), 1))
    found = []
    for name, count in counts.items():
        length = np.float32(count.total() if count.total() <= 40 else 40 + (count.total() - 40) // 2 * 2)
        norm = np.float32(0.9) * ((np.float32(1) - np.float32(0.4)) + np.float32(0.4) * length / average)
        total = 0.0
        for word in query & count:
            holding = sum(word in other for other in counts.values())
            rare = np.float32(math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5)))
            weight = np.float32(query[word]) * rare
            total += float(weight - weight / (np.float32(1) + np.float32(count[word]) * (np.float32(1) / norm)))
        if query & count:
            found.append((name, float(np.float32(total))))
    return sorted(found, key=lambda item: (-item[1], item[0]))


TEXTS = st.lists(
    st.sampled_from(["red", "blue", "shirt", "shirts", "shoe", "lamp", "the", "running", "run", "wool"]),
    max_size=50,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=12), query=TEXTS, limit=st.integers(1, 14))
def test_scores_and_order(texts: list[str], query: str, limit: int) -> None:
    documents = {f"D{(7 * place) % 97:02}": text for place, text in enumerate(texts)}
    db = Database(memory=True)
    build_index(db, documents.items())
    assert Index(db).search(query, limit) == scored(documents, query)[:limit]


def scored(documents: dict[str, str], query: str) -> list[tuple[str, float]]:
    """BM25 by its formula, in 32-bit numbers, for every document."""
    counts = {name: terms for name, text in documents.items() if (terms := Counter(analyse(text)))}
    lengths = {name: sum(count.values()) for name, count in counts.items()}
    average = np.float32(sum(lengths.values()) / max(len(lengths), 1))
    found = []
    for name, count in counts.items():
        total, known = 0.0, False
        for term, times in Counter(analyse(query)).items():
            if not count[term]:
                continue
            known, holding = True, sum(bool(other[term]) for other in counts.values())
            idf = np.float32(math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5)))
            length = np.float32(max(code for code in LENGTHS if code <= lengths[name]))
            norm = np.float32(0.9) * ((np.float32(1) - np.float32(0.4)) + np.float32(0.4) * length / average)
            weight = np.float32(times) * idf
            total += float(weight - weight / (np.float32(1) + np.float32(count[term]) * (np.float32(1) / norm)))
        if known:
            found.append((name, float(np.float32(total))))
    return sorted(found, key=lambda item: (-item[1], item[0]))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_searched(text: str) -> None:
    db = Database(memory=True)
    build_index(db, [("A", text), ("B", "red shirt")])
    assert all(value > 0 for _, value in Index(db).search(text))


def test_a_file_without_an_index() -> None:
    with pytest.raises(NotAStoreError, match="the file holds no search index"):
        Index(Database(memory=True))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_critic.envs.webshop.search.index.KEPT_BYTES", 300)
    index = index_of(DOCUMENTS)
    for query in [*LUCENE, *LUCENE]:
        names = LUCENE[query].split()[::2]
        assert [name for name, _ in index.search(query)] == names
    assert len(index._kept) == 1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    with sqlite3.connect(path) as connection:
        build_index(Database(connection), DOCUMENTS)
    connection.close()
    return path


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE terms SET divisors = x'00000000'",  # fewer of these than documents
        "UPDATE terms SET divisors = x'0000'",  # no whole number
        "UPDATE terms SET documents = x'ffffff7f', divisors = x'00000040'",  # a document that is none
        "DELETE FROM documents WHERE number > 1",
        "DROP TABLE terms",
        "ALTER TABLE terms RENAME COLUMN divisors TO impacts",
    ],
)
def test_damage_is_told(file: Path, damage: str) -> None:
    connection = sqlite3.connect(file)
    index = Index(Database(connection))
    connection.execute(damage)
    with pytest.raises(NotAStoreError, match=r"holds no search index, or it is damaged .*; make it again"):
        index.search("red wool lamp")
    connection.close()


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 4_000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.db").write_bytes(content)
    connection = sqlite3.connect(tmp_path / "other.db")
    with pytest.raises(NotAStoreError, match="holds no search index"):
        Index(Database(connection))
    connection.close()


def test_tables_of_another_version_are_refused(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("ALTER TABLE terms RENAME COLUMN divisors TO impacts")
    with pytest.raises(NotAStoreError, match=r"no such column: .?divisors.?\); make it again"):
        Index(Database(connection))
    connection.close()


def test_no_document() -> None:
    assert index_of([]).search("red") == []
    assert index_of([("D1", "the")]).search("the red") == []
