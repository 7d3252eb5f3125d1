"""Texts to vectors: by hashing, which needs nothing, or by a sentence-transformers model.

Both are deterministic: the same text has the same vector in every thread, process and machine
(a neural model's last digits excepted).
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.errors import ConfigError, MissingDataError, require

__all__ = ["HashingEmbedder", "SentenceTransformerEmbedder"]

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]{2,}")  # words and numbers; runs of signs, as in a map drawn with characters
_MAX_CACHED_TOKENS = 50_000
_MAX_CACHED_WEIGHT = 64


class HashingEmbedder:
    """Signed feature hashing of words, pairs of neighbouring words, and the words' letter trigrams.

    A feature that occurs n times counts ``1 + ln n``, rounded to sixteenths so that sums are exact
    in any order. The signs make collisions of features cancel on average (Weinberger et al.,
    "Feature Hashing for Large Scale Multitask Learning", ICML 2009).

    Args:
        dim: length of the vectors.

    Raises:
        ConfigError: `dim` is below 8 or above 32,768.
    """

    def __init__(self, dim: int = 256) -> None:
        if not 8 <= dim <= 32_768:
            raise ConfigError(f"a HashingEmbedder has 8 to 32768 dimensions, got {dim!r}")
        self._dim = dim
        self._features: dict[str, NDArray[np.intp]] = {}

    @property
    def id(self) -> str:
        """Name, version of the features, and length."""
        return f"hashing-v1-{self._dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length float32 vectors `[len(texts), dim]`; all zeros for a text without words or signs."""
        sums = np.array([self._sum(text) for text in texts]).reshape(len(texts), self._dim)
        lengths = np.sqrt((sums**2).sum(axis=1, keepdims=True))
        return (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _sum(self, text: str) -> NDArray[np.float64]:
        """Float64 `[dim]`: whole numbers, the sixteenths of the features' weights."""
        words = _TOKEN.findall(text.lower())
        counts = Counter(words)
        counts.update(f"{left} {right}" for left, right in pairwise(words))
        if not counts:
            return np.zeros(self._dim)
        buckets = [self._buckets(token) for token in counts]
        each_weight = np.array([_weight(count) for count in counts.values()], np.float64)
        weights = np.repeat(each_weight, [len(each) for each in buckets])
        signed = np.bincount(np.concatenate(buckets), weights, minlength=2 * self._dim).astype(np.float64, copy=False)
        return signed[: self._dim] - signed[self._dim :]

    def _buckets(self, token: str) -> NDArray[np.intp]:
        """Where a token's features are counted: bucket, plus `dim` for a negative sign."""
        known = self._features.get(token)
        if known is None:
            known = np.array([self._bucket(feature) for feature in _features(token)], np.intp)
            if len(self._features) >= _MAX_CACHED_TOKENS:
                self._features.clear()
            self._features[token] = known
        return known

    def _bucket(self, feature: str) -> int:
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "little") % (2 * self._dim)


def _features(token: str) -> list[str]:
    """A pair of words is one feature; a word is itself (twice, to outweigh them) and its trigrams."""
    if " " in token:
        return [token]
    padded = f"^{token}$"
    return [token, token, *(f"#{padded[start : start + 3]}" for start in range(len(padded) - 2))]


def _weight(count: int) -> int:
    return _WEIGHTS[count] if count < _MAX_CACHED_WEIGHT else round(16 * (1 + math.log(count)))


_WEIGHTS = [0, *(round(16 * (1 + math.log(count))) for count in range(1, _MAX_CACHED_WEIGHT))]


class SentenceTransformerEmbedder:
    """A sentence-transformers model.

    Args:
        model: a Hugging Face id or a local folder.
        device: where it runs, for example ``"cuda"``; None lets the library choose.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        MissingDataError: there is no such model, or it could not be fetched.
    """

    def __init__(self, model: str | Path = "sentence-transformers/all-MiniLM-L6-v2", device: str | None = None) -> None:
        library = require("sentence_transformers", "embed", "SentenceTransformerEmbedder")
        try:
            self._model: Any = library.SentenceTransformer(str(model), device=device)
        except (OSError, ValueError) as error:
            raise MissingDataError(
                f"the embedding model {str(model)!r} cannot be loaded ({error}); name a Hugging Face id that this "
                f"machine can reach, or the folder of a downloaded model"
            ) from error
        self._name = Path(model).name if Path(model).is_dir() else str(model)
        measure = getattr(self._model, "get_embedding_dimension", None)  # renamed in sentence-transformers 5.x
        self._dim = int((measure or self._model.get_sentence_embedding_dimension)())
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """The model's name; the folder's name for a local one."""
        return f"sentence-transformer-{self._name}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length float32 vectors `[len(texts), dim]`; all zeros for a text without content."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        with self._lock:  # fast tokenizers refuse a second thread
            vectors = self._model.encode(
                list(texts), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        content = np.array([[bool(text.strip())] for text in texts])
        return np.where(content, vectors, 0).astype(np.float32)
