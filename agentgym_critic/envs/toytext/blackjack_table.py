"""All transitions of Gymnasium's Blackjack, from its rules: an endless deck, a dealer who draws up to 17.

A state is what the player knows and what counts: the sum, whether an ace counts 11 in it, whether
it is an ace and a ten at once, and the dealer's open card. The hidden card is no part of it: in
an endless deck it is independent of all the player sees.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from agentgym_critic.envs.adapter import Outcomes, Table

__all__ = ["HandState", "blackjack_table", "hand_state"]

STICK, HIT = 0, 1

DECK = {**dict.fromkeys(range(1, 10), 1), 10: 4}
"""How many of 13 ranks count as much; 1 is the ace."""

CARDS = {card: Fraction(count, 13) for card, count in DECK.items()}


class HandState(NamedTuple):
    """What the player of a hand knows."""

    total: int
    usable_ace: bool
    natural: bool
    dealer: int
    """The dealer's open card; 0 for a hand by itself."""


def hand_state(hand: Sequence[int], dealer: int = 0) -> HandState:
    """The state of a hand of cards beside a dealer's open card.

    >>> hand_state([1, 10], 7)
    HandState(total=21, usable_ace=True, natural=True, dealer=7)
    """
    usable = 1 in hand and sum(hand) + 10 <= 21
    return HandState(sum(hand) + 10 * usable, usable, sorted(hand) == [1, 10], dealer)


@cache
def blackjack_table(*, natural: bool = False, sab: bool = False) -> Table:
    """For each state and action the outcomes: probability, next state (None at the end), reward, whether it ends."""
    hands = {hand_state(hand, dealer) for hand in _pairs() for dealer in CARDS}
    table: dict[HandState, dict[int, Outcomes]] = {}
    while hands:
        hand = hands.pop()
        hits = [(float(chance), *_hit(hand, card)) for card, chance in CARDS.items()]
        sticks = [(float(chance), None, reward, True) for reward, chance in _rewards(hand, natural, sab).items()]
        table[hand] = {STICK: sticks, HIT: hits}
        hands |= {following for _, following, _, _ in hits if following} - table.keys()
    return table


def _pairs() -> list[tuple[int, int]]:
    return [(first, second) for first in CARDS for second in CARDS]


def _hit(hand: HandState, card: int) -> tuple[HandState | None, float, bool]:
    total, usable = _add(hand.total, hand.usable_ace, card)
    return (None, -1.0, True) if total > 21 else (HandState(total, usable, False, hand.dealer), 0.0, False)


def _add(total: int, usable: bool, card: int) -> tuple[int, bool]:
    """Sum and usable ace after one more card. An ace that does not count 11 now never will again."""
    hard = total - 10 * usable + card
    usable = (usable or card == 1) and hard + 10 <= 21
    return hard + 10 * usable, usable


def _rewards(hand: HandState, natural: bool, sab: bool) -> dict[float, Fraction]:
    """The probability of each reward of sticking."""
    rewards: dict[float, Fraction] = defaultdict(Fraction)
    for (score, dealer_natural), chance in _dealer(hand.dealer).items():
        reward = float(hand.total > score) - float(hand.total < score)
        if sab and hand.natural and not dealer_natural:
            reward = 1.0
        elif natural and not sab and hand.natural and reward == 1.0:
            reward = 1.5
        rewards[reward] += chance
    return rewards


@cache
def _dealer(shown: int) -> dict[tuple[int, bool], Fraction]:
    """The probability of each final score of the dealer (0 if over 21), and of it being an ace and a ten at once."""
    ends: dict[tuple[int, bool], Fraction] = defaultdict(Fraction)
    for hidden, chance in CARDS.items():
        first = hand_state([shown, hidden])
        for score, share in _draws(first.total, first.usable_ace).items():
            ends[score, first.natural] += chance * share
    return ends


@cache
def _draws(total: int, usable: bool) -> dict[int, Fraction]:
    """The probability of each final score from a sum on."""
    if total >= 17:
        return {total if total <= 21 else 0: Fraction(1)}
    ends: dict[int, Fraction] = defaultdict(Fraction)
    for card, chance in CARDS.items():
        for score, share in _draws(*_add(total, usable, card)).items():
            ends[score] += chance * share
    return ends
