"""Names and roles in the texts of a game, without a list of any game's words.

A name is a word, or a word and a number ("cabinet 3"). A word of the task has a role: the word before it
there ("clean" mug, "in" shelf), so that what is learnt of one thing holds for another in the same role.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Command", "likes", "names_in", "read_command", "roles", "word_of", "words_in"]

_WORD = re.compile(r"[^\W\d_]+|\d+")
_NAME = re.compile(r"([^\W\d_]+) (\d+)\b")
_LINKS = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "from",
        "in",
        "into",
        "it",
        "of",
        "off",
        "on",
        "onto",
        "out",
        "the",
        "them",
        "then",
        "to",
        "under",
        "up",
        "with",
    ]
)


class Command(NamedTuple):
    """An action taken apart."""

    verb: str
    """Its first word."""
    names: tuple[str, ...]
    """What else it names, in order."""


@lru_cache(maxsize=65_536)
def read_command(text: str) -> Command:
    """An action's verb and names.

    >>> read_command("take mug 1 from shelf 2")
    Command(verb='take', names=('mug 1', 'shelf 2'))
    """
    words = text.lower().replace("/", " ").split()
    names: list[str] = []
    for word in words[1:]:
        if word.isdecimal() and names:
            names[-1] += f" {word}"
        elif word not in _LINKS:
            names.append(word)
    return Command(words[0] if words else "", tuple(names))


def word_of(name: str) -> str:
    """A name without its number."""
    return name.partition(" ")[0]


@lru_cache(maxsize=65_536)
def likes(text: str) -> str:
    """An action without its numbers: what it has in common with others like it."""
    return re.sub(r" \d+\b", "", text)


@lru_cache(maxsize=32_768)
def names_in(text: str) -> tuple[str, ...]:
    """The numbered names in a text, each once."""
    return tuple(dict.fromkeys(f"{word} {number}" for word, number in _NAME.findall(text.lower())))


@lru_cache(maxsize=32_768)
def words_in(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, each once."""
    return tuple(dict.fromkeys(_WORD.findall(text.lower())))


@lru_cache(maxsize=8_192)
def roles(task: str) -> dict[str, str]:
    """For each content word of a task the word before it.

    >>> roles("put a clean mug in shelf.")
    {'put': '', 'clean': 'a', 'mug': 'clean', 'shelf': 'in'}
    """
    found: dict[str, str] = {}
    before = ""
    for word in _WORD.findall(task.lower())[:64]:
        if word not in _LINKS:
            found.setdefault(word, before)
        before = word
    return found
