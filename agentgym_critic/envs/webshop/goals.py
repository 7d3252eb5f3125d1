"""`Goal`: what a shopper is sent for, and how goals are made from the products of a catalogue.

`product_goals` makes the goals of one product from a seed: they depend on nothing else. `human_goals` and
`synthetic_goals` make those of all products from one stream of random numbers, in the reference's order
of draws. This module knows no splits and no sessions.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from itertools import product as combinations
from random import Random
from typing import Literal, get_args

from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.types import Record

__all__ = [
    "KINDS",
    "MOST_GOALS",
    "UNLIMITED",
    "Goal",
    "GoalKind",
    "draw_limit",
    "draw_price",
    "draw_prices",
    "human_goals",
    "product_goals",
    "synthetic_goals",
    "without_price",
]

GoalKind = Literal["human", "synthetic"]
"""In the words of a person, or made of a product's attributes and options."""

KINDS: tuple[GoalKind, ...] = get_args(GoalKind)
"""All of them."""

UNLIMITED = 1_000_000.0
"""The upper price of a goal that names none."""

MOST_GOALS = 100_000
"""A product with more combinations of options has no synthetic goals."""

LIMITS = tuple(10.0 * step for step in range(1, 100))

_LIMIT = re.compile(r",? and price lower than [\d.]+ dollars$")


class Goal(Record, frozen=True):
    """What to buy."""

    id: str
    """The asin and a number among the product's goals of a kind, as in ``B0ABCDEFGH-h0`` or ``B0ABCDEFGH-s12``."""
    asin: str
    """The product that it was made from; others may do as well."""
    category: str
    query: str
    name: str
    product_category: str
    instruction_text: str
    """The request as the shopper reads it."""
    attributes: tuple[str, ...]
    price_upper: float
    """In dollars."""
    goal_options: dict[str, str] | tuple[str, ...] = ()
    """By the name of the option if synthetic, values only if from a person."""
    weight: float = 1.0
    """How often it is drawn, against the others of its catalogue; known only to those made together."""


def draw_price(product: Product, seed: int) -> float:
    """What a product costs, in dollars, within its range. Depends on the product and the seed alone."""
    return _draw_price(product, _stream("price", product, seed))


def draw_prices(products: Iterable[Product], rng: Random) -> dict[str, float]:
    """The prices of all products by asin, as the reference draws them."""
    return {product.asin: _draw_price(product, rng) for product in products}


def draw_limit(price: float, rng: Random) -> float:
    """An upper price above a price, a multiple of 10; `UNLIMITED` for what costs 980 or more."""
    above = list(islice((limit for limit in LIMITS if limit > price), 4))
    return max(rng.sample(above, 2)) if len(above) > 1 else UNLIMITED


def product_goals(product: Product, kind: GoalKind, seed: int) -> list[Goal]:
    """The goals of one product, all of weight 1, with limits above its `draw_price`."""
    rng, price = _stream(kind, product, seed), draw_price(product, seed)
    if kind == "human":
        return _human(product, price, rng)
    return list(_synthetic(product, draw_limit(price, rng)))


def human_goals(products: Iterable[Product], prices: Mapping[str, float], rng: Random) -> list[Goal]:
    """The goals that people worded; one draw for the limit of each."""
    return [goal for product in products for goal in _human(product, prices[product.asin], rng)]


def synthetic_goals(products: Iterable[Product], prices: Mapping[str, float], rng: Random) -> list[Goal]:
    """A goal for each combination of the options of each product that has a request; one draw a product.

    The more goals share its attributes, the smaller the weight of a goal.
    """
    asked = [
        (product, draw_limit(prices[product.asin], rng)) for product in products if product.instruction is not None
    ]
    shares: Counter[str] = Counter()
    for product, _ in asked:
        shares.update(dict.fromkeys(product.instruction_attributes, _combinations(product)))
    return [goal for product, limit in asked for goal in _synthetic(product, limit, _weight(product, shares))]


def without_price(request: str) -> str:
    """A request without the limit of its price.

    >>> without_price("a red shirt, and price lower than 30.00 dollars")
    'a red shirt'
    """
    return _LIMIT.sub("", request)


def _weight(product: Product, shares: Mapping[str, int]) -> float:
    asked = product.instruction_attributes
    return sum(1.0 / shares[attribute] for attribute in asked if shares[attribute]) / len(asked)


def _combinations(product: Product) -> int:
    """How many synthetic goals a product has."""
    combinations = math.prod(map(len, product.options.values()))
    return combinations if combinations <= MOST_GOALS else 0


def _human(product: Product, price: float, rng: Random) -> list[Goal]:
    goals = []
    for number, demand in enumerate(product.demands):
        limit = draw_limit(price, rng)
        text = demand.instruction.strip(".")
        goals.append(_goal(product, f"h{number}", text, demand.attributes, demand.options, limit))
    return goals


def _synthetic(article: Product, limit: float, weight: float = 1.0) -> Iterator[Goal]:
    if article.instruction is None or not _combinations(article):
        return
    names = sorted(article.options)
    for number, values in zip(count(), combinations(*(article.options[name] for name in names))):
        chosen = dict(zip(names, values, strict=True))
        text = article.instruction + _with(chosen)
        yield _goal(article, f"s{number}", text, article.instruction_attributes, chosen, limit, weight)


def _with(options: Mapping[str, str]) -> str:
    named = ", and ".join(f"{name}: {value}" for name, value in options.items())
    return f" with {named}" if named else ""


def _goal(
    product: Product,
    number: str,
    text: str,
    attributes: Sequence[str],
    options: dict[str, str] | tuple[str, ...],
    limit: float,
    weight: float = 1.0,
) -> Goal:
    return Goal(
        id=f"{product.asin}-{number}",
        asin=product.asin,
        category=product.category,
        query=product.query,
        name=product.title,
        product_category=product.product_category,
        instruction_text=text + ("" if limit == UNLIMITED else f", and price lower than {limit:.2f} dollars"),
        attributes=tuple(attributes),
        price_upper=limit,
        goal_options=options,
        weight=weight,
    )


def _draw_price(product: Product, rng: Random) -> float:
    low, *high = product.prices
    return rng.uniform(low, high[0]) if high else low


def _stream(purpose: str, product: Product, seed: int) -> Random:
    return Random(f"{purpose} {product.asin} {seed}")  # noqa: S311 (a game, no secret)
