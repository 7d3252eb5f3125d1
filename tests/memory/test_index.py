"""Exact vectors, rankings and posting lists, each against its plain definition."""

from __future__ import annotations

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.memory.fulltext import Postings, any_of, terms
from agentgym_critic.memory.index import FIXED_POINT, Growing, VectorIndex, to_fixed_point
from agentgym_critic.memory.ranking import fuse, top


def unit_vectors(count: int, dim: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("dim", [8, 256, 384, 4096])
def test_cosines_are_exact_integers_and_close_to_the_real_ones(dim: int) -> None:
    vectors = unit_vectors(200, dim)
    fixed = to_fixed_point(vectors)
    index = VectorIndex(dim)
    index.add(fixed)
    expected = fixed.astype(np.int64) @ fixed[0].astype(np.int64)
    assert (index.cosines(fixed[0]).astype(np.int64) == expected).all()
    assert expected.max() < 2**24
    np.testing.assert_allclose(expected / FIXED_POINT**2, vectors @ vectors[0], atol=1e-3)


def test_the_worst_vectors_still_sum_exactly() -> None:
    dim = 32_768
    fixed = to_fixed_point(np.full((1, dim), 1 / math.sqrt(dim), np.float32))
    index = VectorIndex(dim)
    index.add(fixed)
    assert int(index.cosines(fixed[0])[0]) == int((fixed.astype(np.int64) ** 2).sum()) < 2**24


def test_cosines_follow_what_is_added() -> None:
    fixed = to_fixed_point(unit_vectors(300, 16))
    index, queries = VectorIndex(16), fixed[:80]
    for start in range(0, 300, 30):
        index.add(fixed[start : start + 30])
        for query in queries:  # more queries than are remembered
            expected = fixed[: start + 30].astype(np.int64) @ query.astype(np.int64)
            assert (index.cosines(query) == expected).all()


def test_a_zero_vector_resembles_nothing() -> None:
    fixed = to_fixed_point(np.zeros((1, 8), np.float32))
    assert not fixed.any()


@given(st.lists(st.lists(st.integers(-9, 9), max_size=100), max_size=20))
def test_a_growing_array_is_the_concatenation(parts) -> None:
    array = Growing(np.int64)
    for part in parts:
        array.extend(np.array(part, np.int64))
    assert array.values.tolist() == [value for part in parts for value in part]


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 40), st.randoms(use_true_random=False))
def test_top_is_the_start_of_the_whole_order(scores, depth, rng) -> None:
    keys = rng.sample(range(-100, 100), len(scores))
    expected = sorted(range(len(scores)), key=lambda row: (-scores[row], keys[row]))[:depth]
    assert top(np.array(scores, float), np.array(keys, np.int64), depth).tolist() == expected


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=120),
    st.integers(1, 20),
    st.randoms(use_true_random=False),
)
def test_fusion_is_reciprocal_rank_fusion(scores, k, rng) -> None:
    keys, depth = rng.sample(range(1000), len(scores)), max(50, 4 * k)
    pool = {
        row
        for score in (0, 1)
        for row in sorted(range(len(scores)), key=lambda row: (-scores[row][score], keys[row]))[:depth]
    }

    def fused(row: int) -> float:
        ranks = [1 + sum(scores[other][score] > scores[row][score] for other in pool) for score in (0, 1)]
        return 1 / (60 + ranks[0]) + 1 / (60 + ranks[1])

    expected = sorted(pool, key=lambda row: (-fused(row), -scores[row][0], keys[row]))[:k]
    similarity, coverage = np.array(scores, float).reshape(-1, 2).T
    assert fuse(similarity, coverage, np.array(keys, np.int64), k).tolist() == expected


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts_fts USING fts5(text)")
    yield connection
    connection.close()


def add(connection: sqlite3.Connection, *texts: str) -> None:
    connection.executemany("INSERT INTO texts_fts (text) VALUES (?)", [(text,) for text in texts])


def test_coverage_weighs_rare_words_more(connection) -> None:
    add(connection, "red mug", "blue mug", "red plate", "a lamp", "a shelf", "a bed", "a desk")
    postings = Postings(connection)
    coverage = postings.coverage("a red mug on a plate", np.ones(7, bool))
    common, rare, absent = math.log1p(5.5 / 2.5), math.log1p(6.5 / 1.5), math.log1p(7.5 / 0.5)
    total = 2 * common + rare + absent  # red, mug, plate, on; "a" is in more than half
    np.testing.assert_allclose(coverage, np.array([2 * common, common, common + rare, 0, 0, 0, 0]) / total)


def test_coverage_knows_only_visible_texts(connection) -> None:
    add(connection, "red mug", "blue plate", "old lamp")
    visible = np.array([True, True, False])
    before = Postings(connection).coverage("red lamp", visible)
    add(connection, "red sofa", "red bed", "red desk", "lamp")
    later = Postings(connection).coverage("red lamp", np.array([*visible, False, False, False, False]))
    assert later[:2].tolist() == before[:2].tolist()


def test_postings_follow_what_is_added(connection) -> None:
    postings = Postings(connection)
    for size in range(1, 30):
        add(connection, f"word{size % 3} and mug{size}")
        fresh = Postings(connection).coverage("word1 mug7 mug22", np.ones(size, bool))
        assert postings.coverage("word1 mug7 mug22", np.ones(size, bool)).tolist() == fresh.tolist()


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_valid_query(text) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts_fts USING fts5(text)")
    add(connection, "mug")
    words = terms(text)
    if words:
        connection.execute("SELECT rowid FROM texts_fts WHERE texts_fts MATCH ?", (any_of(words),)).fetchall()
    assert len(Postings(connection).coverage(text, np.ones(1, bool))) == 1
    connection.close()


def test_long_texts_are_cut_to_64_terms() -> None:
    assert terms(" ".join(f"w{number % 100}" for number in range(500))) == [f"w{number}" for number in range(64)]
