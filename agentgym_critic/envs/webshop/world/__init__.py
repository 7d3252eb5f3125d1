"""A world of products of our own, from a seed, in the schema of WebShop's files. See `generate`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

from agentgym_critic.envs.webshop.files import Entry
from agentgym_critic.envs.webshop.product import ANGLE
from agentgym_critic.envs.webshop.world.dice import Dice
from agentgym_critic.envs.webshop.world.lines import SIBLINGS, Article, draw_articles
from agentgym_critic.envs.webshop.world.requests import human_requests, short_request
from agentgym_critic.envs.webshop.world.texts import write_texts
from agentgym_critic.errors import ConfigError

__all__ = ["LARGEST", "VERSION", "generate"]

VERSION = "2"
"""Changes whenever the same seed gives other products."""

LARGEST = 10_000_000
"""Products of a world."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAIRS = [one + other for one in _DIGITS for other in _DIGITS]
_NAMES = len(_PAIRS) ** 4
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
        dice = Dice(f"webshop {VERSION} {seed} {number}")
        for place, article in enumerate(draw_articles(dice)):
            yield _entry(article, _asin(number * SIBLINGS + place, seed), dice)


def _asin(number: int, seed: int) -> str:
    """Each product of a world has another."""
    rest, name = (number * _STEP + seed * 7_919) % _NAMES, "B0"
    for _ in range(4):
        rest, pair = divmod(rest, len(_PAIRS))
        name += _PAIRS[pair]
    return name


def _entry(article: Article, asin: str, dice: Dice) -> Entry:
    note: dict[str, Any] = {"attributes": list(article.attributes)}
    if dice.chance(0.4):
        note["instruction"], note["instruction_attributes"] = short_request(article, dice)
    return Entry(_product(article, asin, dice), note, human_requests(article, asin, dice))


def _product(article: Article, asin: str, dice: Dice) -> dict[str, Any]:
    kind, texts = article.line.kind, write_texts(article, dice)
    return {
        "asin": asin,
        "name": texts.title,
        "full_description": texts.description,
        "small_description": texts.bullets,
        "pricing": "".join([f"${price:,.2f}" for price in article.prices]),
        "images": [f"https://example.invalid/{asin}.jpg"],
        "product_category": kind.path.replace("/", f" {ANGLE} "),
        "category": kind.category,
        "query": kind.query,
        "customization_options": {
            option.name.title(): [
                {"value": value, "image": None, "is_selected": False, "is_available": True} for value in values
            ]
            for option, values in article.options
        },
    }
