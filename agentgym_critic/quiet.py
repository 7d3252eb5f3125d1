"""Silence for what a library warns of and its caller knows, safe in threads."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator

__all__ = ["no_warnings"]

_LOCK = threading.RLock()


@contextlib.contextmanager
def no_warnings() -> Iterator[None]:
    """Ignore warnings inside the block; one thread at a time.

    Python keeps its filters for the whole process: blocks of two threads that overlap would restore each other's.
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
