"""`best`: the documents with the highest sums, without adding up what cannot matter.

Terms are added from the weightiest on. Once documents that have none of them so far can no longer be
among the best, only those that still can are looked up in the postings of the others: common words,
which are in most documents. (H. Turtle and J. Flood, "Query evaluation: strategies and optimizations",
1995, call it max-score.) The result is that of adding everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings", "Term", "best"]

SLACK = 1e-6
"""What sums may be off by rounding to 32 bits, generously, as a part of the highest; documents so near the limit are
added up."""


LOOK_UP_COST = 20
"""How many documents can be added up in the time that one is looked up, about."""


class Postings(NamedTuple):
    """The documents of a term."""

    documents: NDArray[np.int32]
    """Their numbers, ascending."""
    divisors: NDArray[np.float32]
    """Of the weight: what each leaves of it is the part that does not count."""
    most: np.float32
    """The highest divisor."""


class Term(NamedTuple):
    """A term of a query."""

    postings: Postings
    weight: np.float32

    @property
    def most(self) -> float:
        """What it adds to a score, at most."""
        return float(self.weight - self.weight / self.postings.most)

    def shares(self) -> NDArray[np.float32]:
        """What it adds to the scores of its documents, in Lucene's order of operations: float32 `[documents]`."""
        return self.weight - self.weight / self.postings.divisors


def best(terms: Sequence[Term], size: int, limit: int) -> list[tuple[int, float]]:
    """The numbers and scores of the best documents, the best first, equal ones ascending.

    Args:
        terms: of the query, each with at least one document.
        size: number of all documents.
        limit: of the documents told.
    """
    terms = sorted(terms, key=lambda term: -term.most)
    left = list(accumulate((term.most for term in reversed(terms)), initial=0.0))[::-1]
    slack = SLACK * (1 + left[0])
    scores = np.zeros(size)
    for place, term in enumerate(terms):
        least = _least(scores, terms[:place], limit)
        if least > left[place] + slack:
            candidates = np.flatnonzero(scores >= least - left[place] - slack)
            others = terms[place:]
            if LOOK_UP_COST * len(candidates) * len(others) < sum(len(other.postings.documents) for other in others):
                return _ranked(candidates, _looked_up(scores[candidates], candidates, others), limit)
        scores[term.postings.documents] += term.shares()
    candidates = np.flatnonzero(scores > max(_least(scores, terms, limit) - slack, 0))
    return _ranked(candidates, scores[candidates], limit)


def _least(scores: NDArray[np.float64], terms: Sequence[Term], limit: int) -> float:
    """A score that at least `limit` documents have: the limit-th of those with the rarest term; 0 if too few."""
    known = [term.postings.documents for term in terms if len(term.postings.documents) >= limit]
    if not known:
        return 0.0
    return float(np.partition(scores[min(known, key=len)], -limit)[-limit])


def _looked_up(scores: NDArray[np.float64], candidates: NDArray[np.intp], terms: Sequence[Term]) -> NDArray[np.float64]:
    """The scores of the candidates with the terms added."""
    wanted = candidates.astype(np.int32)  # of the type of the documents, or these would be copied
    for term in terms:
        documents, divisors, _ = term.postings
        places = np.minimum(np.searchsorted(documents, wanted), len(documents) - 1)
        shares = term.weight - term.weight / divisors[places]
        scores = scores + np.where(documents[places] == wanted, shares, np.float32(0))
    return scores


def _ranked(candidates: NDArray[np.intp], scores: NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    rounded = scores.astype(np.float32)
    order = np.argsort(-rounded, kind="stable")[:limit]
    return list(zip(candidates[order].tolist(), rounded[order].tolist(), strict=True))
