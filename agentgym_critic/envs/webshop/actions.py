"""What a shopper types: ``search[keywords]`` and ``click[what is on the page]``. Knows no page.

`parse` reads it as the reference does, `understand` as a player means it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Command", "parse", "understand"]

_COMMAND = re.compile(r"(.+)\[(.+)\]")
_CLICK = re.compile(r"(click)\[(.+)\]")


class Command(NamedTuple):
    """A verb and what it is about."""

    verb: str
    argument: str | None
    """Lowercase; None where the text has no ``verb[argument]`` in it."""


def parse(action: str) -> Command:
    """Read an action; what follows the last ``]`` of the line is ignored, as the reference does.

    >>> parse("search[Red shoes]")
    Command(verb='search', argument='red shoes')
    >>> parse("buy it")
    Command(verb='buy it', argument=None)
    """
    found = _COMMAND.match(action)
    return Command(found[1], found[2].lower()) if found else Command(action, None)


def understand(action: str) -> Command:
    """Read an action; what is clicked may have brackets itself.

    >>> understand("click[Rope [2 pack]]"), parse("click[Rope [2 pack]]")
    (Command(verb='click', argument='rope [2 pack]'), Command(verb='click[Rope ', argument='2 pack]'))
    """
    found = _CLICK.match(action)
    return Command(found[1], found[2].lower()) if found else parse(action)
