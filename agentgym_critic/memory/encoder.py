"""An embedder as the bank uses it: checked, in fixed point, and not asked twice for a recent text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.errors import BankError, boundary
from agentgym_critic.memory.base import Embedder
from agentgym_critic.memory.index import to_fixed_point

__all__ = ["Encoder"]

_MAX_CACHED_TEXTS = 4096


class Encoder:
    """Wraps an embedder. Safe to call from several threads."""

    def __init__(self, embedder: Embedder) -> None:
        with boundary(f"embedder {type(embedder).__name__}", BankError):
            self.id, self.dim = embedder.id, embedder.dim
        self._embedder = embedder
        self._recent: OrderedDict[str, NDArray[np.int16]] = OrderedDict()
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.int16]]:
        """A fixed-point vector `[dim]` for each text.

        Raises:
            BankError: the embedder raised, or returned something else than finite numbers of the
                promised shape.
        """
        with self._lock:
            found = {text: self._recent[text] for text in texts if text in self._recent}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            fresh = dict(zip(missing, self._embed(missing), strict=True))
            found |= fresh
            self._remember(fresh)
        return [found[text] for text in texts]

    def _embed(self, texts: list[str]) -> NDArray[np.int16]:
        name = f"embedder {self.id}"
        with boundary(name, BankError):
            vectors = np.asarray(self._embedder.embed(texts))
        if vectors.shape != (len(texts), self.dim):
            raise BankError(f"{name} returned shape {vectors.shape}, expected {(len(texts), self.dim)}", name)
        if not np.isfinite(vectors).all():
            raise BankError(f"{name} returned numbers that are not finite", name)
        return to_fixed_point(vectors)

    def _remember(self, vectors: dict[str, NDArray[np.int16]]) -> None:
        with self._lock:
            self._recent |= vectors
            while len(self._recent) > _MAX_CACHED_TEXTS:
                self._recent.popitem(last=False)
