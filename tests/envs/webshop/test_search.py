"""The index against a plain scorer, and the analyser word by word."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.envs.webshop.search.index import Index
from agentgym_critic.envs.webshop.search.lengths import LENGTHS, rounded
from agentgym_critic.envs.webshop.search.porter import stem
from agentgym_critic.envs.webshop.search.writing import build_index
from agentgym_critic.errors import NotAStoreError


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Men's SHIRTS", ["men", "shirt"]),
        ("8\u2033 O\u2019Neil\u2019s x-large", ["8", "o\u2019neil", "x", "larg"]),
        ("1,000.50 a.b.c foo_bar", ["1,000.50", "a.b.c", "foo_bar"]),
        ("35%cotton,60%polyester", ["35", "cotton", "60", "polyest"]),
        ("\u2764\u2764 caf\u00e9 \u65e5\u672c", ["\u2764", "\u2764", "caf\u00e9", "\u65e5", "\u672c"]),
        ("a" * 300, ["a" * 255, "a" * 45]),
        ("to be or not to be", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("motoring", "motor"),
        ("conflated", "conflat"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("trekking", "trek"),
        ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("possibly", "possibl"),
        ("technology", "technolog"), ("electrical", "electr"), ("adoption", "adopt"), ("rate", "rate"), ("controlling", "control"), ("at", "at"),
    ],
)  # fmt: skip
def test_stems(word: str, root: str) -> None:
    assert stem(word) == root


def test_lengths_in_a_byte() -> None:
    assert list(rounded(np.arange(42))) == [*range(41), 40]
    assert all(rounded(LENGTHS) == LENGTHS)
    assert list(rounded(np.array([310, 312]))) == [280, 312]


WORDS = st.sampled_from(["red", "blue", "shirt", "shirts", "shoe", "lamp", "the", "running", "run", "wool"])
TEXTS = st.lists(WORDS, max_size=50).map(" ".join)


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


@pytest.mark.parametrize("text", ["a_" * 500_000, "'" * 1_000_000, "1," * 500_000, "\u200d" * 1_000_000])
def test_long_texts_end(text: str) -> None:
    started = time.process_time()
    analyse(text)
    assert time.process_time() - started < 30  # a bound for what would never end, not a measurement


def test_a_file_without_an_index() -> None:
    with pytest.raises(NotAStoreError, match="the file holds no search index"):
        Index(Database(memory=True))
