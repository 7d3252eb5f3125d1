"""What `generate` is asked for, and how every model keeps to it. Knows no model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import Completion

__all__ = ["check_sampling", "cut_at_stop", "repeated"]


def check_sampling(n: int, max_tokens: int, temperature: float, stop: Sequence[str]) -> None:
    """Refuse settings that no model can follow.

    Raises:
        ConfigError: one is out of range.
    """
    if n < 1 or max_tokens < 1:
        raise ConfigError(f"n and max_tokens are at least 1, got n={n} and max_tokens={max_tokens}")
    if not 0 <= temperature < math.inf:
        raise ConfigError(f"temperature is a finite number of at least 0, got {temperature}")
    if isinstance(stop, str) or not all(stop):
        raise ConfigError(f"stop is a sequence of non-empty strings, got {stop!r}")


def cut_at_stop(text: str, stop: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop string, and whether there was one."""
    cuts = [cut for cut in (text.find(word) for word in stop) if cut >= 0]
    return (text[: min(cuts)], True) if cuts else (text, False)


def repeated(replies: Sequence[Completion], n: int) -> list[Completion]:
    """`n` replies: those there are, and the first one again, which costs no further tokens."""
    again = msgspec.structs.replace(replies[0], completion_tokens=0)
    return [*replies, *[again] * (n - len(replies))]
