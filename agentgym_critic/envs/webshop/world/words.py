"""`Words`: what products of all kinds share. The words are in ``words.toml``."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from agentgym_critic.envs.webshop.world.tables import entries, phrases, table

__all__ = ["Words", "words"]


class Words(NamedTuple):
    """Parts of titles and texts. Phrases name the parts of a product in braces."""

    brand_starts: tuple[str, ...]
    brand_ends: tuple[str, ...]
    adjectives: tuple[str, ...]
    uses: tuple[str, ...]
    titles: tuple[str, ...]
    """Some tell an attribute."""
    openings: tuple[str, ...]
    """Of descriptions; so are ``middles``, which tell attributes, and ``closings``."""
    middles: tuple[str, ...]
    closings: tuple[str, ...]
    bullets: tuple[str, ...]
    """Each tells an attribute."""
    plain: tuple[str, ...]
    """Bullets that tell none."""


@cache
def words() -> Words:
    """The words of the world."""
    read = table("words.toml")
    texts = {name: phrases(text) for name, text in read.pop("phrases").items()}
    return Words(**{name: entries(text) for name, text in read.items()}, **texts)
