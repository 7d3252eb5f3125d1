"""The table beside Gymnasium's rules: by enumeration with its own functions, and by playing it."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from gymnasium.envs.toy_text import blackjack as original

from agentgym_critic.envs.adapter import Solution
from agentgym_critic.envs.toytext.blackjack_table import HIT, STICK, HandState, blackjack_table, hand_state

RULES = [{}, {"natural": True}, {"sab": True}]
CHANCES = {card: Fraction(original.deck.count(card), 13) for card in range(1, 11)}
HANDS = [tuple(sorted(pair)) for pair in itertools.combinations_with_replacement(range(1, 11), 2)]


@cache
def dealers(shown: int) -> dict[tuple[int, ...], Fraction]:
    """The probability of every final hand of the dealer, drawn card by card; one hand for all that count alike."""
    ends: Counter[tuple[int, ...]] = Counter()
    first: dict[Any, tuple[int, ...]] = {}

    def draw(hand: tuple[int, ...], chance: Fraction) -> None:
        if len(hand) > 1 and original.sum_hand(list(hand)) >= 17:
            cards = list(hand)
            ends[first.setdefault((original.score(cards), original.is_natural(cards)), hand)] += chance
            return
        for card, share in CHANCES.items():
            draw((*hand, card), chance * share)

    draw((shown,), Fraction(1))
    return ends


def reward(player: tuple[int, ...], dealer: tuple[int, ...], *, natural: bool = False, sab: bool = False) -> float:
    """What Gymnasium pays for these final hands."""
    env = original.BlackjackEnv(natural=natural, sab=sab)
    env.player, env.dealer = list(player), list(dealer)
    return env.step(STICK)[1]


def values(shown: int, rules: dict[str, bool]) -> Any:
    """The value of every hand, by recursion over all cards to come."""

    @cache
    def stick(hand: tuple[int, ...]) -> Fraction:
        return sum(
            (Fraction(reward(hand, end, **rules)) * chance for end, chance in dealers(shown).items()), Fraction()
        )

    @cache
    def value(hand: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        hit = Fraction()
        for card, chance in CHANCES.items():
            after = (*hand, card)
            hit += chance * (Fraction(-1) if original.is_bust(list(after)) else max(value(alike(after))))
        return stick(hand), hit

    def alike(hand: tuple[int, ...]) -> tuple[int, ...]:
        """One hand in place of all of three cards and more with the same sum, with or without an ace."""
        return (0, 1, sum(hand) - 1) if 1 in hand else (0, 0, sum(hand))

    return value


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_values_are_those_of_brute_force(rules: dict[str, bool]) -> None:
    table = blackjack_table(**rules)
    solution = Solution(table, table, lambda after, reward: reward > 0)
    for shown in (1, 7, 10):
        value = values(shown, rules)
        for hand in HANDS:
            state = hand_state(hand, shown)
            worths = solution.worths(state)
            stick, hit = value(hand)
            assert worths == pytest.approx({STICK: float(stick), HIT: float(hit)}, abs=1e-11)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_table_is_what_happens(rules: dict[str, bool]) -> None:
    env = original.BlackjackEnv(**rules)
    env.reset(seed=0)
    table = blackjack_table(**rules)
    for player, shown in [((1, 10), 10), ((1, 10), 1), ((10, 10), 1), ((5, 6), 9), ((1, 5), 6), ((2, 9, 10), 10)]:
        for action in (STICK, HIT):
            expected: Counter[Any] = Counter()
            for chance, after, given, ends in table[hand_state(player, shown)][action]:
                expected[after, given, ends] += chance
            seen: Counter[Any] = Counter()
            for _ in range(1500):
                env.player, env.dealer = list(player), [shown, original.draw_card(env.np_random)]
                _, given, ends, _, _ = env.step(action)
                seen[None if ends else hand_state(env.player, shown), given, ends] += 1
            assert set(seen) <= set(expected)
            for outcome, chance in expected.items():
                spread = (chance * (1 - chance) / 1500) ** 0.5
                assert seen[outcome] / 1500 == pytest.approx(chance, abs=4.5 * spread)


def test_hands_that_count_the_same_are_one_state() -> None:
    assert hand_state([10, 6], 2) == hand_state([2, 4, 10], 2) == HandState(16, False, False, 2)
    assert hand_state([1, 10], 2) != hand_state([1, 4, 6], 2)
    assert hand_state([1, 1], 2) == HandState(12, True, False, 2)
    assert hand_state([1, 5, 10], 2) == HandState(16, False, False, 2)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_sums_of_chances_and_the_range_of_states(rules: dict[str, bool]) -> None:
    table = blackjack_table(**rules)
    assert {state.total for state in table} == set(range(4, 22))
    assert {state.dealer for state in table} == set(range(1, 11))
    for actions in table.values():
        for outcomes in actions.values():
            assert sum(outcome[0] for outcome in outcomes) == pytest.approx(1, abs=1e-12)
    assert blackjack_table(**rules) is table
