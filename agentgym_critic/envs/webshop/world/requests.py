"""What shoppers ask for: short requests for synthetic goals, and longer ones as people word them.

The wordings are in ``requests.toml``. None names a price.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from agentgym_critic.envs.webshop.world.dice import Dice
from agentgym_critic.envs.webshop.world.lines import SHARED, Article
from agentgym_critic.envs.webshop.world.tables import entries, phrases, table

__all__ = ["Wordings", "human_requests", "short_request", "wordings"]


class Wordings(NamedTuple):
    """How requests are worded; phrases name their parts in braces."""

    short: tuple[str, ...]
    long: tuple[str, ...]
    """With options; ``bare`` without."""
    bare: tuple[str, ...]
    things: tuple[str, ...]
    """What people call a product."""
    openings: tuple[str, ...]
    closings: tuple[str, ...]
    joints: tuple[str, ...]
    """Between attributes."""
    spoken: dict[str, tuple[str, ...]]
    """Other words for attributes and values."""


@cache
def wordings() -> Wordings:
    """All wordings."""
    read = table("requests.toml")
    spoken = {name: entries(text) for name, text in read.pop("spoken").items()}
    joints = tuple(read.pop("joints"))
    return Wordings(**{name: phrases(text) for name, text in read.items()}, joints=joints, spoken=spoken)


def short_request(article: Article, dice: Dice) -> tuple[str, list[str]]:
    """A request, and the attributes it asks for: one that siblings share, and some of its own."""
    own = article.attributes[SHARED:]
    asked = [dice.pick(article.attributes[:SHARED]), *dice.some(own, dice.number(1, min(4, len(own))))]
    request = dice.pick(wordings().short)
    return request.format(query=article.line.kind.query, attributes=", ".join(asked)), asked


def human_requests(article: Article, asin: str, dice: Dice) -> list[dict[str, Any]]:
    """One or two requests, in the schema of the files, or none; more often of what has options."""
    if not dice.chance(0.4 if article.options else 0.15):
        return []
    return [_human(article, asin, dice) for _ in range(dice.number(1, 2))]


def _human(article: Article, asin: str, dice: Dice) -> dict[str, Any]:
    asked = dice.some(article.attributes, dice.number(1, 2))
    chosen = [(option, dice.pick(values)) for option, values in article.options if dice.chance(0.9)]
    choices = ", ".join([dice.pick(option.said).format(_spoken(value, dice)) for option, value in chosen])
    return {
        "asin": asin,
        "instruction": _told(article, asked, choices, dice),
        "attributes": list(article.attributes),
        "options": [f"{option.name}: {value}" for option, values in article.options for value in values],
        "instruction_attributes": asked,
        "instruction_options": [value for _, value in chosen],
    }


def _told(article: Article, asked: list[str], choices: str, dice: Dice) -> str:
    """A request in a person's words, who at times forgets an attribute."""
    known, name = wordings(), _name(article, dice)
    told = asked[:-1] if len(asked) > 1 and dice.chance(0.1) else asked
    return dice.pick(known.long if choices else known.bare).format(
        opening=dice.pick(known.openings),
        closing=dice.pick(known.closings),
        thing=_with_article(name),
        name=name,
        attributes=dice.pick(known.joints).join([_spoken(one, dice) for one in told]),
        choices=choices,
    )


def _name(article: Article, dice: Dice) -> str:
    line = article.line
    return dice.pick(wordings().things).format(
        noun=line.noun, alias=line.alias, material=line.material, adjective=article.adjective
    )


def _with_article(name: str) -> str:
    if name.endswith("s") and not name.endswith("ss"):
        return name
    return f"an {name}" if name[0] in "aeio" else f"a {name}"


def _spoken(name: str, dice: Dice) -> str:
    """A value or an attribute, in half of the cases in other words if there are any."""
    others = wordings().spoken.get(name)
    return dice.pick(others) if others and dice.chance(0.5) else name
