"""Whether a command can mean anything to a story: known words, one command, nothing about the game itself."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

__all__ = ["refusal"]

_MAX_BYTES = 198
"""jericho cuts off what is longer."""

_META = frozenset(
    (
        *("again", "g", "oops", "o", "undo"),
        *("quit", "q", "restart", "restore", "save", "verify", "version"),
        *("record", "recording", "replay", "script", "transcript", "unrecord", "unscript"),
    )
)
"""Commands about the game and not in it: they would save files, end the episode, or repeat what is not seen."""

_SEVERAL = re.compile(r"[.;]|\bthen\b")


def refusal(command: str, dictionary: AbstractSet[str], word_chars: int) -> str:
    """Why a command is not given to the story; empty if it is.

    Args:
        command: one line.
        dictionary: the story's words, lower case.
        word_chars: how many letters of a word the story looks at.

    >>> refusal("open mailbox", {"open", "mailbo"}, 6)
    ''
    >>> refusal("open fridge", {"open", "mailbo"}, 6)
    "The story knows no word 'fridge'."
    """
    words = command.lower().replace(",", " ").replace('"', " ").split()
    if len(command.encode()) > _MAX_BYTES:
        return f"A command has at most {_MAX_BYTES} bytes, got {len(command.encode())}."
    if _SEVERAL.search(command.lower()):
        return f"{command!r} is more than one command; give one at a time."
    if words[:1] and words[0] in _META:
        return f"{words[0]!r} is about the game, not in it; play on instead."
    unknown = [word for word in words if not _known(word, dictionary, word_chars)]
    return f"The story knows no word {unknown[0]!r}." if unknown else "" if words else "A command has words."


def _known(word: str, dictionary: AbstractSet[str], word_chars: int) -> bool:
    """Numbers are; in a word with other signs than letters fewer than `word_chars` count."""
    if (word.isdecimal() and word.isascii()) or word[:word_chars] in dictionary:
        return True
    return not word.isalpha() and any(len(start) > 2 and word.startswith(start) for start in dictionary)
