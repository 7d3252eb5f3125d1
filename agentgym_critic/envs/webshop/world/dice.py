"""`Dice`: random choices from tables, made for speed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

__all__ = ["Dice"]

T = TypeVar("T")


class Dice(Random):
    """A stream of choices; the same seed gives the same in any process."""

    def chance(self, share: float) -> bool:
        """Whether something happens that happens in a share of cases."""
        return self.random() < share

    def pick(self, among: Sequence[T]) -> T:
        """One of several."""
        return among[int(self.random() * len(among))]

    def number(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))

    def some(self, among: Sequence[T], count: int) -> list[T]:
        """Several of them, none twice, in any order."""
        left, random = list(among), self.random
        return [left.pop(int(random() * len(left))) for _ in range(count)]

    def subset(self, among: Sequence[T], count: int) -> tuple[T, ...]:
        """Several of them, none twice, in their order."""
        chosen, left, random = [], len(among), self.random
        for one in among:
            if random() * left < count:
                chosen.append(one)
                count -= 1
            left -= 1
        return tuple(chosen)
