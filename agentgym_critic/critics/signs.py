"""What the text of an observation gives away about the action before it."""

from __future__ import annotations

import functools

__all__ = ["NOTHING_HAPPENED", "nothing_happened"]

NOTHING_HAPPENED = ("nothing happens", "nothing happened", "you can't", "you cannot", "i don't understand")
"""How text worlds begin, in any case, when an action did nothing."""


@functools.lru_cache(maxsize=10_000)
def nothing_happened(observation: str) -> bool:
    """Whether the observation says that the last action did nothing.

    >>> nothing_happened("Nothing happens."), nothing_happened("You open the drawer. Nothing happens.")
    (True, False)
    """
    return observation[:40].lstrip().lower().startswith(NOTHING_HAPPENED)
