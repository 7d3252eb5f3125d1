"""Text of others on a person's terminal. Knows no terminal library."""

from __future__ import annotations

__all__ = ["printable"]

_UNPRINTABLE = dict.fromkeys((*range(32), *range(127, 160), *range(0xD800, 0xE000)), "\ufffd")
del _UNPRINTABLE[ord("\n")], _UNPRINTABLE[ord("\t")]


def printable(text: str) -> str:
    r"""Text without the control characters that could steer a terminal, and without lone surrogates.

    >>> ascii(printable("\x1b[2J\ta\n"))
    "'\\ufffd[2J\\ta\\n'"
    """
    return text.translate(_UNPRINTABLE)
