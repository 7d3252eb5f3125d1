"""`believe`: how likely each cell holds a ship, given what the player has seen. Knows nothing hidden.

Every arrangement of the fleet that fits what was seen is counted, weighted by the chance that the
questions were answered as they were. Ships are laid one after the other, the longest first; the last
one is not laid but counted, in a table of partial arrangements by places. A fleet for which the
tables would be too large is *sampled*: of the partial arrangements only some are continued, each with
the same chance, drawn by a seed made from what was seen. So the same view gives the same belief anywhere.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.battleship.waters import placements

__all__ = ["Answer", "Belief", "Sight", "believe", "likeliest"]

LAID = 2**22
"""Pairs of partial arrangement and place when a ship is laid, up to which all are tried."""

COUNTED = 2**26
"""The same for the last ship. All of the default game are fewer."""

SAMPLED = 2**20
"""Pairs that are tried where there are more."""

CHUNK = 2**17
"""Pairs that are looked at together: as many as fit into a processor's cache."""

TIE = 1e-9
"""Chances that differ by less, as a part of the highest, are equal."""


class Answer(NamedTuple):
    """A question and what was said."""

    region: int
    """The cells asked about: those not yet shot at then."""
    yes: bool
    """Whether a ship was said to be there."""


class Sight(NamedTuple):
    """All that a player knows of the board."""

    rows: int
    cols: int
    afloat: tuple[int, ...]
    """Lengths of the ships not yet sunk, the longest first."""
    missed: int
    hit: int
    """Cells hit of ships that are afloat."""
    sunk: int
    """Cells of sunk ships."""
    answers: tuple[Answer, ...] = ()
    noise: float = 0.0
    """Chance that an answer is wrong."""

    @property
    def shot(self) -> int:
        """The cells shot at."""
        return self.missed | self.hit | self.sunk

    def after_shot(self, cell: int, ships: tuple[int, ...]) -> Sight:
        """What is known after a shot at a board with these ships. A ship hit all over is sunk."""
        there = 1 << cell
        struck = next((ship for ship in ships if ship & there), 0)
        if not struck:
            return self._replace(missed=self.missed | there)
        hit = self.hit | there
        if struck & ~hit:
            return self._replace(hit=hit)
        afloat = list(self.afloat)
        afloat.remove(struck.bit_count())
        return self._replace(afloat=tuple(afloat), hit=hit & ~struck, sunk=self.sunk | struck)


class Belief(NamedTuple):
    """What a player may believe of the board."""

    chances: NDArray[np.float64]
    """Probability that a cell holds a ship: float64 `[rows, cols]`, read-only; 0 or 1 where it was shot at."""
    arrangements: int
    """Arrangements of the ships afloat that were counted; if none of a sample fits, hidden cells count alike."""
    exact: bool
    """Whether these are all there are."""


@lru_cache(maxsize=1024)
def believe(sight: Sight) -> Belief:
    """The belief that follows from a sight by Bayes' rule, all arrangements being equally likely at first."""
    known, shot = _bits(np.array([sight.hit | sight.sunk, sight.shot], dtype=np.uint64), sight)
    if not sight.afloat:
        return _belief(known.astype(np.float64), sight, 1, True)
    options = [_fitting(sight, length) for length in sight.afloat]
    partial, exact = _laid(sight, options[:-1])
    partial, all_counted = _thinned(partial, len(options[-1]), COUNTED, sight)
    sums, total, count = _counted(sight, partial, options[-1])
    exact = exact and all_counted
    if not total:
        left = sum(sight.afloat) - sight.hit.bit_count()
        return _belief(np.where(shot, known, left / max((1 - shot).sum(), 1)), sight, 0, False)
    return _belief(np.where(shot, known, np.minimum(sums / total, 1.0)), sight, count, exact)


def likeliest(sight: Sight) -> list[int]:
    """The cells not shot at with the highest chance to hold a ship, ascending; none if there is no such cell."""
    hidden = [cell for cell in range(sight.rows * sight.cols) if not sight.shot >> cell & 1]
    chances = believe(sight).chances.reshape(-1)
    least = max((chances[cell] for cell in hidden), default=0.0) * (1 - TIE)
    return [cell for cell in hidden if chances[cell] >= least]


def _fitting(sight: Sight, length: int) -> NDArray[np.uint64]:
    """The places of a ship that is afloat: on no miss and no sunk ship, and not hit all over."""
    places = placements(sight.rows, sight.cols, length)
    blocked, unhit = np.uint64(sight.missed | sight.sunk), np.uint64(_all(sight) & ~sight.hit)
    fitting: NDArray[np.uint64] = places[(places & blocked == 0) & (places & unhit != 0)]
    return fitting


def _laid(sight: Sight, options: list[NDArray[np.uint64]]) -> tuple[NDArray[np.uint64], bool]:
    """Arrangements of all ships but the last: uint64 `[n]`, and whether these are all."""
    partial, exact = np.zeros(1, dtype=np.uint64), True
    for place, ships in enumerate(options):
        partial, all_laid = _thinned(partial, len(ships), LAID, sight)
        exact = exact and all_laid
        apart, which = np.nonzero(partial[:, None] & ships[None, :] == 0)
        partial = partial[apart] | ships[which]
        left = sight.afloat[place + 1 :]
        uncovered = _bits(partial & np.uint64(sight.hit), sight).sum(axis=1) if sight.hit else 0
        partial = partial[sight.hit.bit_count() - uncovered <= sum(left) - len(left)] if sight.hit else partial
    return partial, exact


def _thinned(partial: NDArray[np.uint64], places: int, limit: int, sight: Sight) -> tuple[NDArray[np.uint64], bool]:
    """All partial arrangements if their pairs with the places of the next ship are within the limit, else some."""
    if len(partial) * places <= limit:
        return partial, True
    seed = int.from_bytes(hashlib.blake2b(repr(sight).encode(), digest_size=8).digest(), "little")
    most = min(SAMPLED // places, len(partial))
    kept = np.random.default_rng(seed).choice(len(partial), size=most, replace=False, shuffle=False)
    return partial[np.sort(kept)], False


def _counted(
    sight: Sight, partial: NDArray[np.uint64], last: NDArray[np.uint64]
) -> tuple[NDArray[np.float64], float, int]:
    """Weights summed by cell and in all, and the number of arrangements."""
    sums, by_place, total, count = np.zeros(sight.rows * sight.cols), np.zeros(len(last)), 0.0, 0
    step = max(CHUNK // max(len(last), 1), 1)
    for start in range(0, len(partial), step):
        some = partial[start : start + step]
        fits = _fits(sight, some, last)
        count += int(np.count_nonzero(fits))
        weights = fits * _likelihood(sight, some, last) if sight.answers else fits.astype(np.float64)
        by_partial = weights @ np.ones(len(last))
        by_place += np.ones(len(some)) @ weights
        total += float(by_partial.sum())
        sums += by_partial @ _bits(some, sight)
    return sums + by_place @ _bits(last, sight), total, count


def _fits(sight: Sight, partial: NDArray[np.uint64], last: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether the last ship fits beside the others, and with it every hit is explained: bool `[partial, last]`."""
    apart: NDArray[np.bool_] = partial[:, None] & last[None, :] == 0
    if sight.hit:
        unexplained = np.uint64(sight.hit) & ~partial
        apart &= unexplained[:, None] & ~last[None, :] == 0
    return apart


def _likelihood(sight: Sight, partial: NDArray[np.uint64], last: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The chance of the answers, for each arrangement: float64 `[partial, last]`."""
    right = np.zeros((len(partial), len(last)), dtype=np.int16)
    for region, yes in sight.answers:
        if region & sight.sunk:  # a ship that was afloat then was there
            right += yes
            continue
        there = (partial & np.uint64(region) != 0)[:, None] | (last & np.uint64(region) != 0)[None, :]
        right += there == yes
    asked = len(sight.answers)
    chance = np.array([(1 - sight.noise) ** times * sight.noise ** (asked - times) for times in range(asked + 1)])
    likelihood: NDArray[np.float64] = chance[right]
    return likelihood


def _belief(chances: NDArray[np.float64], sight: Sight, count: int, exact: bool) -> Belief:
    board = chances.reshape(sight.rows, sight.cols)
    board.setflags(write=False)
    return Belief(board, count, exact)


def _bits(masks: NDArray[np.uint64], sight: Sight) -> NDArray[np.uint8]:
    """Sets of cells as rows of zeros and ones: uint8 `[n, cells]`."""
    spread = np.unpackbits(masks.astype("<u8").view(np.uint8).reshape(len(masks), 8), axis=1, bitorder="little")
    return spread[:, : sight.rows * sight.cols]


def _all(sight: Sight) -> int:
    return (1 << sight.rows * sight.cols) - 1
