"""What shoppers ask for: short requests for synthetic goals, and longer ones as people word them."""

from __future__ import annotations

from random import Random
from typing import Any

from agentgym_critic.envs.webshop.world.lines import Article

__all__ = ["human_requests", "synthetic_request"]

OPENINGS = (
    "i need",
    "can you find",
    "i'm after",
    "my sister wants",
    "please show me",
    "we are out of",
    "searching for",
)
JOINTS = ("that is", "which should be", "and it must be", "it has to be")
CHOICES = ("in {}", "i'd take the {} one", "{} please", "preferably {}")
SHORT = ("Show me {query} that are {attributes}", "{attributes} {query}", "Shop for {query}, {attributes}")


def synthetic_request(article: Article, rng: Random) -> tuple[str, list[str]]:
    """A request and the attributes that it asks for: one that siblings share, and some of its own."""
    asked = _asked(article, rng)
    return rng.choice(SHORT).format(query=article.kind.query, attributes=", ".join(asked)), asked


def human_requests(article: Article, asin: str, rng: Random) -> list[dict[str, Any]]:
    """One or two requests, in the schema of the files; for three products of ten."""
    if rng.random() >= 0.3:
        return []
    return [_human(article, asin, rng) for _ in range(rng.randint(1, 2))]


def _human(article: Article, asin: str, rng: Random) -> dict[str, Any]:
    asked = _asked(article, rng)[: rng.randint(1, 3)]
    values = [rng.choice(own) for own in article.options.values() if rng.random() < 0.7]
    wish = " ".join((rng.choice(OPENINGS), "a" if rng.random() < 0.5 else "some", article.noun, rng.choice(JOINTS)))
    choices = [rng.choice(CHOICES).format(value) for value in values]
    return {
        "asin": asin,
        "instruction": ", ".join([f"{wish} {' and '.join(asked)}", *choices]),
        "attributes": list(article.attributes),
        "options": [f"{name}: {value}" for name, own in article.options.items() for value in own],
        "instruction_attributes": asked,
        "instruction_options": values,
    }


def _asked(article: Article, rng: Random) -> list[str]:
    own = rng.sample(article.attributes[2:], rng.randint(1, len(article.attributes) - 2))
    return [rng.choice(article.attributes[:2]), *own]
