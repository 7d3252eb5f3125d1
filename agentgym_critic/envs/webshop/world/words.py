"""`Words`: what products of all kinds share. The words are in ``words.toml``."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from agentgym_critic.envs.webshop.world.tables import entries, table

__all__ = ["Option", "Words", "words"]


class Option(NamedTuple):
    """Something to choose."""

    name: str
    values: tuple[str, ...]
    """All there are; a product has some of them."""


class Words(NamedTuple):
    """Parts of titles, and options by key."""

    brand_starts: tuple[str, ...]
    brand_ends: tuple[str, ...]
    adjectives: tuple[str, ...]
    uses: tuple[str, ...]
    materials: dict[str, tuple[str, ...]]
    """By category: what things are made of, or made like."""
    options: dict[str, Option]


@cache
def words() -> Words:
    """The words of the world."""
    read = table("words.toml")
    options = {key: Option(row["name"], entries(row["values"])) for key, row in read.pop("options").items()}
    materials = {category: entries(text) for category, text in read.pop("materials").items()}
    return Words(**{name: entries(text) for name, text in read.items()}, materials=materials, options=options)
