"""Keys and values of token sequences already computed, found again by their longest common prefix.

A `Prefix` is never written to: a forward pass that starts from one concatenates into new
tensors, so any number of continuations share it without a copy. This module knows tensors
and token ids; it knows no model and no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Prefix", "PrefixCache"]


class Prefix(NamedTuple):
    """The attention keys and values of a token sequence."""

    ids: tuple[int, ...] = ()
    layers: tuple[tuple[Tensor, Tensor], ...] = ()
    """For each layer keys and values, each `[1, heads, len(ids), head_dim]`; empty for no tokens."""

    @property
    def bytes(self) -> int:
        """Memory the tensors take."""
        return sum(part.numel() * part.element_size() for layer in self.layers for part in layer)

    def cropped(self, length: int) -> Prefix:
        """The first `length` tokens, as views."""
        if length == len(self.ids):
            return self
        if length == 0:
            return Prefix()
        layers = tuple((keys[..., :length, :], values[..., :length, :]) for keys, values in self.layers)
        return Prefix(self.ids[:length], layers)


class PrefixCache:
    """A few prefixes, the least recently used dropped first.

    Agents and critics that share a model have prompts of their own, so several prefixes are
    kept. One that another extends is dropped: it can be cropped back from the longer one.

    Args:
        max_bytes: memory the kept tensors may take; 0 keeps nothing.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: list[Prefix] = []  # least recently used first

    def __len__(self) -> int:
        """How many prefixes are kept."""
        return len(self._entries)

    @property
    def bytes(self) -> int:
        """Memory the kept tensors take."""
        return sum(entry.bytes for entry in self._entries)

    def longest(self, ids: Sequence[int]) -> Prefix:
        """The longest known beginning of `ids`; an empty prefix if none is known."""
        lengths = [_common_length(entry.ids, ids) for entry in self._entries]
        if not any(lengths):
            return Prefix()
        best = max(range(len(lengths)), key=lambda index: (lengths[index], index))
        self._entries.append(self._entries.pop(best))
        return self._entries[-1].cropped(lengths[best])

    def add(self, prefix: Prefix) -> None:
        """Keep `prefix`, at the cost of the least recently used ones."""
        if prefix.bytes > self._max_bytes:
            return
        self._entries = [entry for entry in self._entries if entry.ids != prefix.ids[: len(entry.ids)]]
        self._entries.append(prefix)
        while self.bytes > self._max_bytes:
            self._entries.pop(0)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()


def _common_length(left: Sequence[int], right: Sequence[int]) -> int:
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)
