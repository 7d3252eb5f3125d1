"""What the worlds made of cells share: a picture with the player in it, and where that is."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["picture", "place"]


def picture(rows: Sequence[str], row: int, col: int) -> str:
    r"""The rows with ``@`` at one place.

    >>> picture(["SF", "FG"], 1, 0)
    'SF\n@G'
    """
    return "\n".join(line if number != row else f"{line[:col]}@{line[col + 1 :]}" for number, line in enumerate(rows))


def place(row: int, col: int) -> str:
    """A cell in words, counted from 1.

    >>> place(0, 2)
    'row 1, column 3'
    """
    return f"row {row + 1}, column {col + 1}"
