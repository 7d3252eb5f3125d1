"""Lines of products: siblings of one brand that differ in attributes, options and price, as near-duplicates do."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from agentgym_critic.envs.webshop.world.kinds import Kind, kinds
from agentgym_critic.envs.webshop.world.words import words

__all__ = ["SIBLINGS", "Article", "line"]

SIBLINGS = 4
"""Products of a line."""


class Article(NamedTuple):
    """A product before it is put into words."""

    kind: Kind
    brand: str
    noun: str
    adjective: str
    material: str
    use: str
    attributes: tuple[str, ...]
    """What its siblings share first, then its own."""
    options: dict[str, tuple[str, ...]]
    prices: tuple[float, ...]
    stuffing: str
    """Words of other kinds, as sellers add to be found; mostly empty."""


def line(rng: Random) -> list[Article]:
    """The products of a line. What is drawn depends on `rng` alone."""
    kind, said = rng.choice(kinds()), words()
    brand = (rng.choice(said.brand_starts) + rng.choice(said.brand_ends)).capitalize()
    noun, material, dollars = (
        rng.choice(kind.nouns),
        rng.choice(said.materials[kind.category]),
        kind.dollars * rng.lognormvariate(0, 0.35),
    )
    shared = rng.sample(kind.attributes, 2)
    adjectives = rng.sample(said.adjectives, SIBLINGS)
    return [
        Article(
            kind=kind,
            brand=brand,
            noun=noun,
            adjective=adjective,
            material=material,
            use=rng.choice(said.uses),
            attributes=(*shared, *rng.sample([one for one in kind.attributes if one not in shared], rng.randint(2, 3))),
            options={name: values for name, values in (_option(key, rng) for key in kind.options) if values},
            prices=_prices(dollars * rng.uniform(0.6, 1.8), rng),
            stuffing=" ".join(rng.choice(kinds()).nouns[:2]) if rng.random() < 0.15 else "",
        )
        for adjective in adjectives
    ]


def _option(key: str, rng: Random) -> tuple[str, tuple[str, ...]]:
    """The name of an option and the values that a product has: a third to all of them, at times none."""
    name, values = words().options[key]
    count = rng.randint(len(values) // 3 or 1, len(values)) if rng.random() < 0.85 else 0
    chosen = set(rng.sample(range(len(values)), count))
    return name, tuple(value for place, value in enumerate(values) if place in chosen)


def _prices(dollars: float, rng: Random) -> tuple[float, ...]:
    """One price, or a range; in dollars and cents."""
    low = round(dollars, 0) - rng.choice((0.01, 0.05, 0.5))
    return (low, round(low * rng.uniform(1.1, 1.6), 2)) if rng.random() < 0.3 else (low,)
