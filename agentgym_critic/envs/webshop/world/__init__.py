"""A world of products of our own, from a seed, in the schema of WebShop's files. See `generate`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from random import Random
from typing import Any

from agentgym_critic.envs.webshop.files import Entry
from agentgym_critic.envs.webshop.product import ANGLE
from agentgym_critic.envs.webshop.world.lines import SIBLINGS, Article, line
from agentgym_critic.envs.webshop.world.requests import human_requests, synthetic_request
from agentgym_critic.errors import ConfigError

__all__ = ["LARGEST", "VERSION", "generate"]

VERSION = "1"
"""Changes whenever the same seed gives other products."""

LARGEST = 10_000_000
"""Products of a world."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMES = len(_DIGITS) ** 8
_STEP = 1_500_450_271_133
"""Coprime to the number of names, so that each product has its own."""


def generate(size: int, seed: int = 0) -> Iterator[Entry]:
    """The products of a world, one by one.

    A product depends on its number and the seed alone: a larger world begins with a smaller one.

    Args:
        size: number of products, from 1 to `LARGEST`.
        seed: of the world.

    Raises:
        ConfigError: the size is out of range.
    """
    if not 1 <= size <= LARGEST:
        raise ConfigError(f"a catalogue has from 1 to {LARGEST:,} products, got {size}")
    return islice(_entries(seed), size)


def _entries(seed: int) -> Iterator[Entry]:
    for number in count():
        rng = Random(f"webshop {VERSION} {seed} {number}")  # noqa: S311 (a world, no secret)
        for place, article in enumerate(line(rng)):
            yield _entry(article, _asin(number * SIBLINGS + place, seed), rng)


def _asin(number: int, seed: int) -> str:
    rest, digits = (number * _STEP + seed * 7_919) % _NAMES, []
    for _ in range(8):
        rest, digit = divmod(rest, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "B0" + "".join(digits)


def _entry(article: Article, asin: str, rng: Random) -> Entry:
    asked = synthetic_request(article, rng) if rng.random() < 0.4 else None
    note: dict[str, Any] = {"attributes": list(article.attributes)}
    if asked:
        note |= {"instruction": asked[0], "instruction_attributes": asked[1]}
    return Entry(_product(article, asin, rng), note, human_requests(article, asin, rng))


def _product(article: Article, asin: str, rng: Random) -> dict[str, Any]:
    told = rng.sample(article.attributes, 2)
    title = (
        f"{article.brand} {article.adjective} {article.material} {article.noun} with {' and '.join(told)} {article.use}"
    )
    return {
        "asin": asin,
        "name": f"{title} {article.stuffing}".strip().title(),
        "full_description": _description(article),
        "small_description": [f"{each.capitalize()}, made to last" for each in rng.sample(article.attributes, 3)],
        "pricing": "".join(f"${price:,.2f}" for price in article.prices),
        "images": [f"https://example.invalid/{asin}.jpg"],
        "product_category": f" {ANGLE} ".join(article.kind.path.split("/")),
        "category": article.kind.category,
        "query": article.kind.query,
        "customization_options": {
            name.title(): [{"value": value, "image": None, "is_selected": False, "is_available": True} for value in own]
            for name, own in article.options.items()
        },
    }


def _description(article: Article) -> str:
    return (
        f"{article.brand} presents its {article.adjective} {article.material} {article.noun}: "
        f"{article.attributes[0]}, made {article.use}."
    )
