"""How promising a board of 2048 looks, where a search has to stop: a number inside (0, 1), no probability.

A board is as good as its lines together. Room is good, equal neighbours are, and a line that
goes up and down is bad, the more so the larger its tiles. The weights were chosen by trial.
"""

from __future__ import annotations

import math
from itertools import pairwise

from agentgym_critic.envs.game2048.board import CUTS, KNOWN_LINES

__all__ = ["promise"]

EMPTY_WEIGHT = 2.0
EQUAL_WEIGHT = 3.0
ROUGH_WEIGHT = 0.2
SCALE = 40.0
"""The worth that counts as one unit of log-odds."""


def promise(board: bytes, size: int) -> float:
    """What a board of this size is taken to be worth."""
    total = sum([_WORTH[board[cut]] for cut in CUTS[size]])
    return 1 / (1 + math.exp(-total / SCALE))


def _worth(line: bytes) -> float:
    tiles = line.replace(b"\0", b"")
    equal = sum(left == right for left, right in pairwise(tiles))
    steps = [right * right - left * left for left, right in pairwise(line)]
    rises, falls = sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)
    return EMPTY_WEIGHT * (len(line) - len(tiles)) + EQUAL_WEIGHT * equal - ROUGH_WEIGHT * min(rises, falls)


class _Worths(dict[bytes, float]):
    """The worth of each line, worked out when it is first looked up."""

    def __missing__(self, line: bytes) -> float:
        if len(self) >= KNOWN_LINES:
            self.clear()
        self[line] = worth = _worth(line)
        return worth


_WORTH = _Worths()
