"""How right an answer is: exact match and F1, as for SQuAD.

Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016: letters are made small,
punctuation and articles are left out, and white space counts once. Of several right answers the best counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Score", "normalized", "score"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Score(NamedTuple):
    """Both from 0 to 1."""

    em: float
    """Exact match."""
    f1: float
    """Harmonic mean of the shares of words in common."""


def normalized(text: str) -> str:
    """A text as it is compared.

    >>> normalized("The  Cat's-eye!")
    'catseye'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def score(said: str, answers: Iterable[str]) -> Score:
    """Compare an answer with the right ones.

    >>> score("in Paris, France", ["Paris", "paris, france"])
    Score(em=0.0, f1=0.8)
    """
    each = [(float(normalized(said) == normalized(answer)), _f1(said, answer)) for answer in answers]
    return Score(max(em for em, _ in each), max(f1 for _, f1 in each))


def _f1(said: str, answer: str) -> float:
    left, right = normalized(said).split(), normalized(answer).split()
    common = (Counter(left) & Counter(right)).total()
    return 2 * common / (len(left) + len(right)) if common else 0.0
