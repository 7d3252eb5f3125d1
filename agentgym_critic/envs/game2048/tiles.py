"""The tiles that chance adds: the n-th of a game follows from the game's key and n alone.

So the state of the generator is two integers, which makes a snapshot exact and a copy free. The
numbers are those of SplitMix64 (Steele, Lea and Flood, 2014), which is addressed by n.
"""

from __future__ import annotations

from agentgym_critic.envs.game2048.board import empty_cells

__all__ = ["FOUR_CHANCE", "with_new_tile"]

FOUR_CHANCE = 0.1
"""Chance that a new tile has level 2 instead of 1."""

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_FOURS = int(FOUR_CHANCE * (1 << 32))


def with_new_tile(board: bytes, key: int, number: int) -> bytes:
    """A board with the tile of this number added to one of its empty cells, each equally likely.

    Args:
        board: it has an empty cell.
        key: the game's, below ``2 ** 64``.
        number: how many tiles the game has added before.
    """
    bits = _mixed(key + number * _STEP & _MASK)
    empty = empty_cells(board)
    cell = empty[(bits >> 32) * len(empty) >> 32]
    return board[:cell] + (b"\2" if bits & 0xFFFFFFFF < _FOURS else b"\1") + board[cell + 1 :]


def _mixed(value: int) -> int:
    """64 bits that look random, from 64 that need not."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31
