from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.points24 import Formula, Solver
from agentgym_critic.envs.points24.deals import can_make, deal
from agentgym_critic.errors import ConfigError


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 13), min_size=1, max_size=4), st.integers(-10, 40))
def test_two_ways_to_ask_whether_a_target_can_be_made_agree(cards: list[int], target: int) -> None:
    hand = tuple(sorted(cards))
    assert can_make(hand, target) == (Solver(target).tokens_left(Formula(hand)) is not None) or len(hand) == 1


def test_of_715_hands_of_one_to_ten_566_make_24() -> None:
    assert sum(can_make(hand, 24) for hand in combinations_with_replacement(range(1, 11), 4)) == 566


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
@pytest.mark.parametrize("faces_are_ten", [True, False])
def test_hands_are_of_the_asked_kind(cards: int, faces_are_ten: bool) -> None:
    hands = [
        deal(np.random.default_rng(seed), cards, 24, faces_are_ten=faces_are_ten, solvable=cards > 2, tries=99)
        for seed in range(40)
    ]
    assert all(len(hand) == cards and list(hand) == sorted(hand) for hand in hands)
    assert {min(map(min, hands)), max(map(max, hands))} == {1, 10 if faces_are_ten else 13}
    assert len(set(hands)) > 20
    if cards > 2:
        assert all(can_make(hand, 24) for hand in hands)


def test_no_rank_is_dealt_five_times() -> None:
    rng = np.random.default_rng(0)
    hands = [deal(rng, 5, 0, faces_are_ten=False, solvable=False, tries=1) for _ in range(3000)]
    assert max(hand.count(rank) for hand in hands for rank in hand) <= 4


def test_hands_that_cannot_make_it_are_dealt_if_asked_for() -> None:
    rng = np.random.default_rng(0)
    hands = [deal(rng, 4, 24, faces_are_ten=True, solvable=False, tries=1) for _ in range(100)]
    assert 10 < sum(can_make(hand, 24) for hand in hands) < 100


def test_what_no_hand_makes_is_refused() -> None:
    message = "target=9999 can be made of none of 20 hands of 4 cards; choose another target or more cards"
    with pytest.raises(ConfigError, match=message):
        deal(np.random.default_rng(0), 4, 9999, faces_are_ten=True, solvable=True, tries=20)
