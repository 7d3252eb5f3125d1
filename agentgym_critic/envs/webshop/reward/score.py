"""`score`: the reward of a purchase, from 0 to 1, and what it is made of.

It takes the price and the options as given and knows no catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from agentgym_critic.envs.webshop.choices import Choices, choices
from agentgym_critic.envs.webshop.goals import Goal
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.article import compare
from agentgym_critic.envs.webshop.reward.matching import alike
from agentgym_critic.envs.webshop.reward.nouns import NounSource
from agentgym_critic.envs.webshop.reward.options import best_options, count_met
from agentgym_critic.types import Record

__all__ = ["Purchase", "Score", "best_purchase", "score"]


class Score(Record, frozen=True):
    """A reward and its parts. Weights add up to 1; what was not asked for has neither a share nor a weight."""

    reward: float
    """0 to 1: the shares, weighted, times the type's factor."""
    r_type: float
    """1 if it is the kind of article that was asked for; else 0.5, 0.1 or 0."""
    r_att: float | None
    """Share of the attributes that it has."""
    w_att: float | None
    query_match: bool
    category_match: bool
    title_score: float
    r_option: float | None
    """Share of the options that were chosen."""
    w_option: float | None
    r_price: bool
    """Whether it costs no more than the limit."""
    w_price: float


class Purchase(NamedTuple):
    """What is chosen of a product, and how that is judged."""

    options: dict[str, str]
    """The chosen values by the names of their options."""
    score: Score


def score(product: Product, goal: Goal, price: float, options: Mapping[str, str], nouns: NounSource) -> Score:
    """Judge a purchase.

    Args:
        product: what was bought.
        goal: what was asked for.
        price: what the product costs, in dollars.
        options: the chosen value of each option.
        nouns: finds the nouns of titles.
    """
    likeness = compare(product, goal, nouns)
    asked, wanted = len(goal.attributes), len(goal.goal_options)
    has = sum(_has(product, attribute) for attribute in goal.attributes)
    met = count_met(goal.goal_options, options.values())
    cheap = price <= goal.price_upper
    parts = asked + wanted + 1
    return Score(
        reward=(has + met + cheap) / parts * likeness.factor,
        r_type=likeness.factor,
        r_att=has / asked if asked else None,
        w_att=asked / parts if asked else None,
        query_match=likeness.query_match,
        category_match=likeness.category_match,
        title_score=likeness.title_score,
        r_option=met / wanted if wanted else None,
        w_option=wanted / parts if wanted else None,
        r_price=cheap,
        w_price=1 / parts,
    )


def best_purchase(
    product: Product, goal: Goal, price: float, nouns: NounSource, possible: Choices = choices
) -> Purchase:
    """The purchase of a product with the highest reward for a goal, and of those with the fewest choices.

    Args:
        product: what is bought.
        goal: what was asked for.
        price: what the product costs, in dollars.
        nouns: finds the nouns of titles.
        possible: which values a click can choose.
    """
    options = best_options(product, goal.goal_options, possible=possible)
    return Purchase(options, score(product, goal, price, options, nouns))


def _has(product: Product, attribute: str) -> bool:
    """Whether a product has an attribute, or one alike, or its texts have it word for word."""
    if _is_noted(product.attributes, attribute):
        return True
    texts = (product.title, " ".join(product.bullets), product.description)
    return any(attribute in text.lower() for text in texts)


@lru_cache(maxsize=10_000)
def _is_noted(attributes: tuple[str, ...], wanted: str) -> bool:
    """Whether one of them is alike; goals of a product ask for the same ones again and again."""
    return any(alike(known, wanted) for known in attributes)
