"""How alike two short texts are, by the words in them. Knows nothing of products."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

__all__ = ["ALIKE", "alike", "plain", "similarity"]

ALIKE = 85
"""Texts of a greater similarity mean the same."""

LATIN_1 = dict.fromkeys(range(128, 256))
NO_WORD_CHARACTER = re.compile(r"\W")


@lru_cache(maxsize=10_000)
def plain(text: str) -> str:
    """Lowercase words and spaces only. Letters such as ``é`` are dropped, as `thefuzz` does.

    >>> plain("Café (8 oz.)")
    'caf  8 oz'
    """
    return NO_WORD_CHARACTER.sub(" ", text.translate(LATIN_1)).lower().strip()


def similarity(one: str, other: str) -> int:
    """From 0 to 100: `thefuzz.fuzz.token_set_ratio`. 100 if all words of one text are in the other.

    >>> similarity("eco friendly", "keto friendly"), similarity("dark blue", "blue"), similarity("", "")
    (88, 100, 0)
    """
    return round(fuzz.token_set_ratio(plain(one), plain(other)))


def alike(one: str, other: str) -> bool:
    """Whether two texts mean the same."""
    return similarity(one, other) > ALIKE
