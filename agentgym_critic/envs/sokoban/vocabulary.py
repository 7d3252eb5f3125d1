"""`Vocabulary`: the words for the moves and the symbols for what is in a level, either as usual or renamed.

Renaming keeps the game and changes how it is spoken of, which tells a player that has learnt the
game from one that has learnt its letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from agentgym_critic.envs.base import clean_action
from agentgym_critic.envs.sokoban.moves import ACTIONS
from agentgym_critic.errors import ConfigError

__all__ = ["MEANINGS", "Vocabulary", "build_vocabulary"]

MEANINGS = {
    "#": "wall",
    "-": "floor",
    ".": "target",
    "$": "box",
    "*": "box on a target",
    "@": "you",
    "+": "you on a target",
}
"""The symbols of XSB."""

LONGEST_WORD = 50
"""Characters of a word for a move, at most."""


class Vocabulary(NamedTuple):
    """What is said for each move and drawn for each thing."""

    actions: dict[str, str]
    """For each of `ACTIONS` its word."""
    symbols: dict[str, str]
    """For each symbol of XSB the one that is drawn."""

    @property
    def renames_symbols(self) -> bool:
        """Whether any symbol is not as usual."""
        return any(usual != drawn for usual, drawn in self.symbols.items())


def build_vocabulary(actions: object = None, symbols: object = None) -> Vocabulary:
    """A vocabulary in which these words and symbols take the place of the usual ones.

    Args:
        actions: words by what they replace, for example ``{"up": "north"}``; None renames nothing.
        symbols: single characters by the symbol of XSB they replace.

    Raises:
        ConfigError: something else than a move or symbol is renamed, a new name cannot be used, or
            two things would have the same.
    """
    words = _renamed("actions", actions, dict.fromkeys(ACTIONS, "a move"))
    for word in words.values():
        if not word or clean_action(word) != word or len(word) > LONGEST_WORD:
            raise ConfigError(
                f"actions: a word has 1 to {LONGEST_WORD} characters, on one line, without spaces around; got {word!r}"
            )
    drawn = _renamed("symbols", symbols, MEANINGS)
    for symbol in drawn.values():
        if len(symbol) != 1 or unicodedata.category(symbol)[0] in "CMZ":
            raise ConfigError(f"symbols: a symbol is one visible character; got {symbol!r}")
    return Vocabulary(words, drawn)


def _renamed(setting: str, given: object, usual: Mapping[str, str]) -> dict[str, str]:
    """All usual names with their new ones."""
    if given is None:
        return {name: name for name in usual}
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for pair in given.items() for text in pair):
        raise ConfigError(f"{setting} gives new names by old ones, texts both; got {given!r}")
    if unknown := [name for name in given if name not in usual]:
        raise ConfigError(f"{setting} renames {' '.join(usual)}; got {unknown[0]!r}")
    names = {name: given.get(name, name) for name in usual}
    owners: dict[str, str] = {}
    for name, new in names.items():
        if (other := owners.setdefault(new, name)) != name:
            raise ConfigError(f"{setting}: {other!r} and {name!r} would both be {new!r}; give each a name of its own")
    return names
