"""What worlds say in the same words: why a text is none of their actions."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["unknown_action"]


def unknown_action(action: str, known: Iterable[str]) -> str:
    """Why a word is no action; a character that only looks like one of theirs is named.

    >>> unknown_action("up", ["left", "right"])
    "There is no action 'up'; the actions are left, right."
    """
    names = ", ".join(known)
    text = f"There is no action {action[:50]!r}; the actions are {names}."
    odd = next((char for char in action if not char.isascii()), "")
    if not odd or not names.isascii():
        return text
    return f"{text} Yours has the character U+{ord(odd):04X} ({unicodedata.name(odd, 'without a name')})."
