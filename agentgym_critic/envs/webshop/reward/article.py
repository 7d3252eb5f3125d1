"""Whether what was bought is the kind of article that was asked for. Knows neither options nor prices."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from agentgym_critic.envs.webshop.goals import Goal
from agentgym_critic.envs.webshop.product import ANGLE, Product
from agentgym_critic.envs.webshop.reward.nouns import NounSource

__all__ = ["Likeness", "compare"]

SHARED_DEPARTMENTS = 2
NO_NOUNS = 0.2
"""The title score of a goal whose name has no nouns."""


class Likeness(NamedTuple):
    """How a product compares with the one that was asked for."""

    query_match: bool
    """The same search leads to it."""
    category_match: bool
    """At least two departments are the same."""
    title_score: float
    """Which share of the nouns of the wanted title is in its title; 0 to 1."""

    @property
    def factor(self) -> float:
        """What the rest of the reward is multiplied with. A title without a wanted noun leaves nothing."""
        if self.title_score == 0:
            return 0.0
        if self.title_score < 0.1:
            return 0.1
        return 1.0 if self.query_match or self.category_match or self.title_score > 0.2 else 0.5


def compare(product: Product, goal: Goal, nouns: NounSource) -> Likeness:
    """Compare what was bought with what was asked for."""
    shared = _departments(product.product_category) & _departments(goal.product_category)
    title_score = _title_score(product.title, goal.name, nouns)
    return Likeness(product.query == goal.query, len(shared) >= SHARED_DEPARTMENTS, title_score)


def _title_score(bought: str, wanted: str, nouns: NounSource) -> float:
    expected = nouns.nouns(wanted)
    if not expected:
        return NO_NOUNS
    return len(set(nouns.nouns(bought)) & set(expected)) / len(expected)


@lru_cache(maxsize=10_000)
def _departments(path: str) -> frozenset[str]:
    return frozenset(part.strip() for part in path.split(ANGLE))
