"""Text of others on a person's terminal. Knows no terminal library."""

from __future__ import annotations

__all__ = ["printable"]

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Overrides of the writing direction, which show a text as what it is not."""

_UNPRINTABLE = dict.fromkeys((*range(32), *range(127, 160), *range(0xD800, 0xE000), *_BIDI), "\ufffd")
del _UNPRINTABLE[ord("\n")], _UNPRINTABLE[ord("\t")]


def printable(text: str) -> str:
    r"""Text without the control characters that could steer a terminal, and without lone surrogates.

    >>> ascii(printable("\x1b[2J\ta\n"))
    "'\\ufffd[2J\\ta\\n'"
    """
    return text.translate(_UNPRINTABLE)
