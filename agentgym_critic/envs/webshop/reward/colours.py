"""Colours in the names of options: ``navy blue`` and ``light blue`` are both ``blue``.

Which words are colours, and their order, is taken from WebShop (MIT licence): rewards equal the reference's only
with the same list. A word counts wherever its letters stand, so that ``standard`` is ``tan``. This
module does not know what is bought.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources

__all__ = ["colour_of", "colour_of_pair", "colours"]

FILE = "colours.txt"


@cache
def colours() -> tuple[str, ...]:
    """All colour words, in the order in which they are looked for."""
    return tuple(resources.files(__package__).joinpath(FILE).read_text(encoding="ascii").split())


@lru_cache(maxsize=10_000)
def colour_of(value: str) -> str:
    """The first colour word that occurs in a value, else the value itself.

    >>> colour_of("navy blue"), colour_of("powdered"), colour_of("x-large")
    ('blue', 'red', 'x-large')
    """
    return next((colour for colour in colours() if colour in value), value)


def colour_of_pair(name: str, value: str) -> str:
    """The same for a value with the name of its option: only if one of the two is a colour word and nothing else.

    What is no colour is spelled as the reference compares it.

    >>> colour_of_pair("color", "blue"), colour_of_pair("color", "navy blue")
    ('blue', "('color', 'navy blue')")
    """
    pair = (name, value)
    return next((colour for colour in colours() if colour in pair), str(pair))
