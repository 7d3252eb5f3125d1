"""What a seller writes of an article: its title, description and bullets. Not all attributes are told."""

from __future__ import annotations

from string import capwords
from typing import NamedTuple

from agentgym_critic.envs.webshop.world.dice import Dice
from agentgym_critic.envs.webshop.world.kinds import kinds
from agentgym_critic.envs.webshop.world.lines import SHARED, Article
from agentgym_critic.envs.webshop.world.words import words

__all__ = ["Texts", "write_texts"]


class Texts(NamedTuple):
    """The texts of a product."""

    title: str
    description: str
    """At times empty."""
    bullets: list[str]
    """The first is the one that searches find."""


def write_texts(article: Article, dice: Dice) -> Texts:
    """Put an article into words. Bullets tell most of its attributes, the other texts few."""
    description = _description(article, dice) if dice.chance(0.75) else ""
    return Texts(_title(article, dice), description, _bullets(article, dice))


def _title(article: Article, dice: Dice) -> str:
    """A quarter of titles are stuffed, to be found by more: with further attributes, and with what is not sold here."""
    own = dice.pick(article.attributes[SHARED:])
    others = [one for one in article.attributes if one != own]
    stuffing = [*dice.some(others, 2), dice.pick(dice.pick(kinds()).nouns)] if dice.chance(0.25) else []
    return capwords(" ".join([_filled(article.line.title, article, own), *stuffing]))


def _description(article: Article, dice: Dice) -> str:
    known, told = words(), dice.pick(article.attributes)
    parts = [_filled(dice.pick(among), article, told) for among in (known.openings, known.middles, known.closings)]
    return f"{'. '.join(parts)}."


def _bullets(article: Article, dice: Dice) -> list[str]:
    known = words()
    told = dice.some(article.attributes, dice.number(2, min(4, len(article.attributes))))
    wordings = [*dice.some(known.bullets, len(told)), dice.pick(known.plain)]
    bullets = [_filled(phrase, article, one.capitalize()) for phrase, one in zip(wordings, [*told, ""], strict=True)]
    return dice.some(bullets, len(bullets))


def _filled(phrase: str, article: Article, told: str = "") -> str:
    """A phrase with the parts of an article, and the attribute that it tells."""
    line = article.line
    return phrase.format(
        brand=line.brand,
        adjective=article.adjective,
        material=line.material,
        noun=line.noun,
        alias=line.alias,
        query=line.kind.query,
        told=told,
        use=line.use,
    )
