"""Searches made from the words of a request: candidates for agents and critics that choose from a list.

They are made from what a shopper reads, and from nothing else. `searchable` makes keywords of any text.
"""

from __future__ import annotations

import re

from agentgym_critic.envs.webshop.goals import without_price
from agentgym_critic.envs.webshop.search.analyser import STOP_WORDS

__all__ = ["offered", "searchable"]

LONGEST = 900
"""Characters of a search, at most: it is to fit into an action."""


_WORD = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")
_FILLERS = STOP_WORDS | frozenset(
    ("i", "am", "looking", "find", "me", "want", "need", "buy", "would", "like", "get", "please", "some", "my", "which",
     "has", "have")
)  # fmt: skip


def offered(instruction: str) -> list[str]:
    """Different searches: the whole request, its telling words, their first and their last half.

    >>> offered("Find me a red cotton shirt, and price lower than 30.00 dollars")
    ['find me a red cotton shirt', 'red cotton shirt', 'red cotton', 'shirt']
    """
    request = without_price(instruction).lower()
    words = [word for word in _WORD.findall(request) if word not in _FILLERS]
    half = (len(words) + 1) // 2
    searches = (request, " ".join(words), " ".join(words[:half]), " ".join(words[half:]))
    return list(dict.fromkeys(search for search in map(searchable, searches) if search))


def searchable(text: str) -> str:
    """A text as the keywords of a search: without what would end its brackets, and not too long.

    >>> searchable("Shirt [2 Pack]")
    'shirt 2 pack'
    """
    return " ".join(text.lower().replace("[", " ").replace("]", " ").split())[:LONGEST].strip()
