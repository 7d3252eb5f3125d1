"""`BoundedCache`: what was asked for last, up to a total size. Knows nothing of what it holds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from agentgym_critic.errors import ConfigError

__all__ = ["BoundedCache"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Forgets what was not asked for longest once the sizes add up to more than `most`. Safe in several threads.

    Args:
        most: the limit, in whatever unit `put` is told; 0 keeps nothing.
    """

    def __init__(self, most: int) -> None:
        if most < 0:
            raise ConfigError(f"the size of a cache is at least 0, got {most}")
        self._most, self._total = most, 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many values are kept."""
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """What is kept under a key, or None."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: K, value: V, size: int = 1) -> None:
        """Keep a value in place of any other under that key."""
        with self._lock:
            self._total += size - self._kept.pop(key, (value, 0))[1]
            self._kept[key] = value, size
            while self._total > self._most:
                _, (_, freed) = self._kept.popitem(last=False)
                self._total -= freed
