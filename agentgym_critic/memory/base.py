"""What an embedder is to the memory bank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Turns texts into vectors. Safe to call from several threads."""

    @property
    def id(self) -> str:
        """Which embedder, and with which settings: a bank refuses any other than its own."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length float32 vectors `[len(texts), dim]`; all zeros for a text without content."""
        ...
