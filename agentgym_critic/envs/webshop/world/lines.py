"""Lines of products: siblings of one brand that differ in attributes, options and price, as near-duplicates do.

A line is what its dice give: it knows no other line, and no texts.
"""

from __future__ import annotations

from typing import NamedTuple

from agentgym_critic.envs.webshop.world.dice import Dice
from agentgym_critic.envs.webshop.world.kinds import Kind, kinds
from agentgym_critic.envs.webshop.world.options import Option
from agentgym_critic.envs.webshop.world.words import words

__all__ = ["SHARED", "SIBLINGS", "Article", "Line", "draw_articles"]

SIBLINGS = 4
"""Products of a line."""

SHARED = 2
"""Attributes that all products of a line have."""

MOST_VALUES = 8
"""Values of an option that one product has; more would make thousands of goals of a product."""


class Line(NamedTuple):
    """What siblings have in common."""

    kind: Kind
    brand: str
    noun: str
    alias: str
    """Another noun of the kind."""
    material: str
    use: str
    title: str
    """The phrase of `Words.titles` that they are named by."""
    attributes: tuple[str, ...]
    options: tuple[Option, ...]
    dollars: float


class Article(NamedTuple):
    """A product before it is put into words."""

    line: Line
    adjective: str
    attributes: tuple[str, ...]
    """Those of its line first, then its own."""
    options: tuple[tuple[Option, tuple[str, ...]], ...]
    """With the values that it has."""
    prices: tuple[float, ...]
    """In dollars: one, or the lowest and highest."""


def draw_articles(dice: Dice) -> list[Article]:
    """The products of a line."""
    line = _line(dice)
    rest = [one for one in line.kind.attributes if one not in line.attributes]
    return [_article(line, adjective, rest, dice) for adjective in dice.some(words().adjectives, SIBLINGS)]


def _line(dice: Dice) -> Line:
    kind, known = dice.pick(kinds()), words()
    noun, alias = dice.some(kind.nouns, 2)
    return Line(
        kind=kind,
        brand=(dice.pick(known.brand_starts) + dice.pick(known.brand_ends)).capitalize(),
        noun=noun,
        alias=alias,
        material=dice.pick(kind.materials),
        use=dice.pick(known.uses),
        title=dice.pick(known.titles),
        attributes=tuple(dice.some(kind.attributes, SHARED)),
        options=tuple([option for option in kind.options if dice.chance(0.4)]),
        dollars=kind.dollars * dice.lognormvariate(0, 0.4),
    )


def _article(line: Line, adjective: str, rest: list[str], dice: Dice) -> Article:
    options = tuple([(option, _values(option, dice)) for option in line.options if dice.chance(0.92)])
    return Article(
        line=line,
        adjective=adjective,
        attributes=(*line.attributes, *dice.some(rest, dice.number(1, 5))),
        options=options,
        prices=_prices(line.dollars * dice.lognormvariate(0, 0.5), bool(options), dice),
    )


def _values(option: Option, dice: Dice) -> tuple[str, ...]:
    return dice.subset(option.values, dice.number(2, min(len(option.values), MOST_VALUES)))


def _prices(dollars: float, ranged: bool, dice: Dice) -> tuple[float, ...]:
    low = max(2.0, round(dollars)) - dice.pick((0.0, 0.01, 0.01, 0.05, 0.5))
    return (low, round(low * (1.1 + dice.random() / 2), 2)) if ranged and dice.chance(0.4) else (low,)
