"""What every user of the package textworld shares: its lock, its import, a hash of its facts.

textworld parses with module-level parser objects, so nothing that parses may run in two
threads at once: callers hold `TEXTWORLD_LOCK`. Nothing here knows a game.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from types import ModuleType

import numpy as np

from agentgym_critic.errors import require

__all__ = ["TEXTWORLD_LOCK", "facts_key", "load"]

TEXTWORLD_LOCK = threading.RLock()
"""Held around every call into textworld that may parse."""


def load(module: str, extra: str, needed_by: str) -> ModuleType:
    """Import a module of textworld, or one built on it, leaving NumPy's global random state alone.

    Raises:
        MissingExtraError: the package is not installed.
    """
    with TEXTWORLD_LOCK:
        state = np.random.get_state()  # importing textworld draws from it
        try:
            return require(module, extra, needed_by)
        finally:
            np.random.set_state(state)


def facts_key(facts: Iterable[object], *more: str) -> str:
    """A hash of a set of facts, whatever their order, and of further text: 32 hexadecimal digits.

    >>> facts_key(["in(a)", "on(b)"]) == facts_key(["on(b)", "in(a)"])
    True
    """
    text = "\n".join([*sorted(map(str, facts)), *more])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
