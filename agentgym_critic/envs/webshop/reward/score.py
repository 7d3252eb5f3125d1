"""`score`: the reward of a purchase, from 0 to 1, and what it is made of.

It takes the price and the options as given and knows no catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_critic.envs.webshop.goals import Goal
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.article import compare
from agentgym_critic.envs.webshop.reward.matching import alike
from agentgym_critic.envs.webshop.reward.nouns import NounSource
from agentgym_critic.envs.webshop.reward.options import best_options, count_met
from agentgym_critic.types import Record

__all__ = ["Score", "reachable", "score"]


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
    attributes = sum(_has(product, attribute) for attribute in goal.attributes)
    chosen = count_met(goal.goal_options, options.values())
    cheap = price <= goal.price_upper
    parts = len(goal.attributes) + len(goal.goal_options) + 1
    return Score(
        reward=(attributes + chosen + cheap) / parts * likeness.factor,
        r_type=likeness.factor,
        r_att=_share(attributes, len(goal.attributes)),
        w_att=_share(len(goal.attributes), parts),
        **likeness._asdict(),
        r_option=_share(chosen, len(goal.goal_options)),
        w_option=_share(len(goal.goal_options), parts),
        r_price=cheap,
        w_price=1 / parts,
    )


def reachable(product: Product, goal: Goal, price: float, nouns: NounSource) -> bool:
    """Whether a goal's own product can be bought with a reward of 1."""
    options = best_options(product, goal.goal_options)
    return score(product, goal, price, options, nouns).reward == 1.0


def _share(part: int, whole: int) -> float | None:
    return part / whole if part or whole else None


def _has(product: Product, attribute: str) -> bool:
    """Whether a product has an attribute, or one alike, or its texts have it word for word."""
    if any(alike(known, attribute) for known in product.attributes):
        return True
    texts = (product.title, " ".join(product.bullets), product.description)
    return any(attribute in text.lower() for text in texts)
