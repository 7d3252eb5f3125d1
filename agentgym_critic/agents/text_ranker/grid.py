"""Maps drawn in characters: what lies where, seen from the player's symbol."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

__all__ = ["near_player", "seen_from_player"]

_PLAYER = "@+"
_REACH = 4
_NEAR = 2
"""Moves."""
_LEAST = 3  # rows and columns; less is no map


@lru_cache(maxsize=16_384)
def seen_from_player(text: str) -> tuple[str, ...]:
    r"""Each cell near the player as text; nothing where there is no map with a player.

    >>> seen_from_player("###\n#@#\n###")[:2]
    ('-1 -1 #', '-1 0 #')
    """
    rows = _map_rows(text)
    player = next(((r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign in _PLAYER), None)
    return () if player is None else tuple(_around(rows, *player))


@lru_cache(maxsize=16_384)
def near_player(text: str) -> tuple[str, ...]:
    """Those of the cells that are at most two moves away."""
    return tuple(cell for cell in seen_from_player(text) if _moves(cell) <= _NEAR)


def _moves(cell: str) -> int:
    down, right, _ = cell.split(" ", 2)
    return abs(int(down)) + abs(int(right))


def _map_rows(text: str) -> list[str]:
    """The longest run of lines of one length."""
    best: list[str] = []
    run: list[str] = []
    for line in text.split("\n"):
        run = [*run, line] if run and len(line) == len(run[0]) else [line]
        best = run if len(run) > len(best) else best
    return best if len(best) >= _LEAST <= len(best[0]) else []


def _around(rows: list[str], row: int, column: int) -> Iterator[str]:
    for down in range(-_REACH, _REACH + 1):
        for right in range(-_REACH, _REACH + 1):
            r, c = row + down, column + right
            if 0 <= r < len(rows) and 0 <= c < len(rows[r]):
                yield f"{down} {right} {rows[r][c]}"
