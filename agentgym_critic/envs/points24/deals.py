"""Hands of cards, dealt from a deck of 52, such that a target can be made of them."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np

from agentgym_critic.envs.points24.formula import Hand
from agentgym_critic.errors import ConfigError

__all__ = ["can_make", "deal"]

Numbers: TypeAlias = tuple[Fraction, ...]


def deal(rng: np.random.Generator, cards: int, target: int, *, faces_are_ten: bool, solvable: bool, tries: int) -> Hand:
    """A hand, sorted.

    Args:
        rng: decides the hand.
        cards: their number.
        target: what is to be made.
        faces_are_ten: whether jack, queen and king count as 10, or else as 11, 12 and 13.
        solvable: whether hands of which the target cannot be made are dealt again.
        tries: hands dealt before giving up.

    Raises:
        ConfigError: the target can be made of none of these hands.
    """
    for _ in range(tries):
        ranks = rng.choice(52, size=cards, replace=False) % 13 + 1
        hand = tuple(sorted(min(int(rank), 10) if faces_are_ten else int(rank) for rank in ranks))
        if not solvable or can_make(hand, target):
            return hand
    raise ConfigError(
        f"target={target} can be made of none of {tries} hands of {cards} cards; choose another target or more cards"
    )


@lru_cache(maxsize=10_000)
def can_make(hand: Hand, target: int) -> bool:
    """Whether a formula over all cards of a hand makes the target: two numbers at a time become one.

    >>> can_make((3, 3, 8, 8), 24)
    True
    """
    goal = Fraction(target)
    waiting: list[Numbers] = [tuple(map(Fraction, hand))]
    seen = set(waiting)
    while waiting:
        numbers = waiting.pop()
        for one, other in combinations(range(len(numbers)), 2):
            results = _results(numbers[one], numbers[other])
            if len(numbers) == 2 and goal in results:
                return True
            rest = [number for place, number in enumerate(numbers) if place not in (one, other)]
            shorter = {tuple(sorted([*rest, result])) for result in results if rest} - seen
            seen |= shorter
            waiting += sorted(shorter)
    return False


def _results(left: Fraction, right: Fraction) -> list[Fraction]:
    """What can be made of two numbers."""
    quotients = [one / other for one, other in ((left, right), (right, left)) if other]
    return [left + right, left - right, right - left, left * right, *quotients]
