"""`Level`: a Sokoban level as bit masks, and its picture in XSB, the format of the level collections.

A mask is an integer with one bit a cell: bit ``row * cols + col``. The border of a level is
wall, so that moving a bit to a neighbour cell is a shift that never wraps around. The module
knows no moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentgym_critic.errors import ConfigError

__all__ = ["SYMBOLS", "Level", "Picture", "cells", "format_level", "parse_level"]

_SYMBOLS = {"#": "W", "@": "P", "+": "PT", "$": "B", "*": "BT", ".": "T", "-": "", "_": "", " ": ""}
"""For each XSB symbol what is on the cell: wall, player, box, target."""

SYMBOLS = frozenset(_SYMBOLS)
"""All symbols of a level in XSB."""


class Level(NamedTuple):
    """A level: its room, and where boxes and player start."""

    rows: int
    cols: int
    walls: int
    """Mask of the walls, the whole border among them."""
    targets: int
    """Mask of the targets, as many as boxes."""
    boxes: int
    """Mask of the boxes."""
    player: int
    """Mask of the player's cell: one bit."""

    @property
    def floor(self) -> int:
        """Mask of all cells that are no wall."""
        return (1 << self.rows * self.cols) - 1 & ~self.walls


def cells(mask: int) -> Iterator[int]:
    """The single bits of a mask, lowest first.

    >>> list(cells(0b1010))
    [2, 8]
    """
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


class Picture:
    """A room drawn in XSB, floor as ``-``, with boxes and player wherever they are.

    Args:
        level: its room is what counts; where boxes and player start does not.
        symbols: what to draw for each symbol of XSB; None draws these.
    """

    def __init__(self, level: Level, symbols: Mapping[str, str] | None = None) -> None:
        self._cols, self._targets = level.cols, level.targets
        drawn = {symbol: symbol for symbol in "#-.$*@+"} if symbols is None else symbols
        self._box, self._box_on_target = drawn["$"], drawn["*"]
        self._player, self._player_on_target = drawn["@"], drawn["+"]
        self._room = list("\n".join([drawn["-"] * level.cols] * level.rows))
        for mask, symbol in ((level.walls, drawn["#"]), (level.targets, drawn["."])):
            for bit in cells(mask):
                self._room[self._place(bit)] = symbol

    def draw(self, boxes: int, player: int) -> str:
        """The rows of symbols, separated by line breaks."""
        symbols = self._room.copy()
        for bit in cells(boxes):
            symbols[self._place(bit)] = self._box_on_target if self._targets & bit else self._box
        symbols[self._place(player)] = self._player_on_target if self._targets & player else self._player
        return "".join(symbols)

    def _place(self, bit: int) -> int:
        index = bit.bit_length() - 1
        return index + index // self._cols  # a line break ends each row


def format_level(level: Level) -> str:
    r"""A level in XSB.

    >>> format_level(parse_level("#####\n#@$.#\n#####"))
    '#####\n#@$.#\n#####'
    """
    return Picture(level).draw(level.boxes, level.player)


def parse_level(text: str) -> Level:
    """The level of an XSB picture; floor is ``-``, ``_`` or a space.

    Raises:
        ConfigError: a symbol is unknown, the border is open, there is not exactly one player,
            or there are no boxes or another number of boxes than of targets.
    """
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    rows, cols = len(lines), max(map(len, lines), default=0)
    masks = dict.fromkeys("WPBT", 0)
    for row, line in enumerate(lines):
        for col, symbol in enumerate(line.ljust(cols)):
            for thing in _things(symbol, row, col):
                masks[thing] |= 1 << row * cols + col
    level = Level(rows, cols, masks["W"], masks["T"], masks["B"], masks["P"])
    _require_playable(level)
    return level


def _things(symbol: str, row: int, col: int) -> str:
    try:
        return _SYMBOLS[symbol]
    except KeyError:
        known = " ".join(sorted(_SYMBOLS)).strip()
        raise ConfigError(
            f"row {row + 1}, column {col + 1} of the level is {symbol!r}; known are space {known}"
        ) from None


def _require_playable(level: Level) -> None:
    for bit in cells(level.floor):
        row, col = divmod(bit.bit_length() - 1, level.cols)
        if row in (0, level.rows - 1) or col in (0, level.cols - 1):
            raise ConfigError(f"the border of a level is wall; row {row + 1}, column {col + 1} is not")
    players, boxes, targets = (mask.bit_count() for mask in (level.player, level.boxes, level.targets))
    if players != 1:
        raise ConfigError(f"a level has one player (@ or +), got {players}")
    if boxes != targets or not boxes:
        raise ConfigError(f"a level has as many boxes as targets, and one at least; got {boxes} and {targets}")
