"""States as integers: one bit for each fact that may change.

`Fluent` lays out the facts of one predicate; which facts that may be is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

__all__ = ["Arguments", "Fluent", "Pattern", "bits", "union"]

KEPT_BITS = 1 << 26
"""Bits of the masks that are remembered of a predicate; those of real games have up to 390,390."""

Arguments = tuple[int, ...]
"""The objects a fact speaks of, as their ranks among the sorted ids."""

Pattern = tuple[int | None, ...]
"""Arguments of which some are open."""


def bits(number: int) -> Iterator[int]:
    """The places of the ones in a non-negative integer, ascending.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def union(masks: Iterable[int]) -> int:
    """All the ones of some masks."""
    return reduce(or_, masks, 0)


class Fluent:
    """The bits of one predicate's facts.

    With the last argument fixed its facts lie side by side, ascending in the others.

    Args:
        domains: for each argument the objects that can stand there, sorted.
        offset: the first bit.
    """

    __slots__ = ("_decoded", "_kept", "_masks", "columns", "domains", "mask", "offset", "size")

    def __init__(self, domains: Sequence[Sequence[int]], offset: int) -> None:
        self.domains = tuple(map(tuple, domains))
        self.offset = offset
        self.columns: list[dict[int, int]] = []
        """For each argument what an object there adds to the bit."""
        stride = 1
        for domain in self.domains:
            self.columns.append({thing: place * stride for place, thing in enumerate(domain)})
            stride *= len(domain)
        self.size = stride
        self.mask = (1 << stride) - 1 << offset
        self._masks: dict[Pattern, int] = {}
        self._kept = KEPT_BITS // (offset + stride + 1)
        self._decoded: dict[int, Arguments] = {}

    def bit(self, arguments: Arguments) -> int | None:
        """The bit of a fact, or None for one that can never hold."""
        bit = self.offset
        for column, thing in zip(self.columns, arguments, strict=True):
            place = column.get(thing)
            if place is None:
                return None
            bit += place
        return bit

    def fact(self, arguments: Arguments) -> int:
        """A fact as a mask; 0 for one that can never hold."""
        bit = self.bit(arguments)
        return 0 if bit is None else 1 << bit

    def arguments(self, bit: int) -> Arguments:
        """The arguments of the fact of a bit."""
        found = self._decoded.get(bit)
        if found is None:
            found = self._decoded[bit] = self._decode(bit - self.offset)
        return found

    def matching(self, pattern: Pattern) -> int:
        """The mask of all facts that fit a pattern."""
        found = self._masks.get(pattern)
        if found is None:
            if len(self._masks) > self._kept:
                self._masks.clear()
            found = self._masks[pattern] = self._spread(pattern)
        return found

    def _decode(self, place: int) -> Arguments:
        arguments = []
        for domain in self.domains:
            place, rest = divmod(place, len(domain))
            arguments.append(domain[rest])
        return tuple(arguments)

    def _spread(self, pattern: Pattern) -> int:
        if not self.size:
            return 0
        mask, stride = 1, 1
        for thing, column, domain in zip(pattern, self.columns, self.domains, strict=True):
            if thing is None:
                mask *= _ones(len(domain), stride)
            elif thing in column:
                mask <<= column[thing]
            else:
                return 0
            stride *= len(domain)
        return mask << self.offset


def _ones(times: int, apart: int) -> int:
    return ((1 << apart * times) - 1) // ((1 << apart) - 1)
