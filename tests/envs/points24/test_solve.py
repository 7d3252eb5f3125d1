"""The solver beside an exhaustive search that lets Python do the sums."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.points24 import Formula, Solver


def shortest(formula: Formula, target: int, known: dict[str, int | None]) -> int | None:
    """The fewest tokens to the target, by trying all."""
    text = str(formula)
    if text not in known:
        if formula.done:
            known[text] = 0 if _worth(text) == target else None
        else:
            ways = [shortest(formula.add(symbol), target, known) for symbol in formula.choices()]
            known[text] = min((way + 1 for way in ways if way is not None), default=None)
    return known[text]


def _worth(text: str) -> Fraction | None:
    try:
        return eval(re.sub(r"\d+", r"F(\g<0>)", text.removesuffix("=")), {"F": Fraction})
    except ZeroDivisionError:
        return None


def walked(formula: Formula, steps: int, rng: random.Random) -> Formula:
    for _ in range(steps):
        if formula.done:
            break
        formula = formula.add(rng.choice(formula.choices()))
    return formula


def agrees(formula: Formula, target: int, solver: Solver) -> None:
    known: dict[str, int | None] = {}
    left = shortest(formula, target, known)
    assert solver.tokens_left(formula) == left, str(formula)
    best = [s for s in formula.choices() if left and shortest(formula.add(s), target, known) == left - 1]
    assert list(solver.best(formula)) == best, str(formula)


CARDS = st.integers(1, 13)


@settings(max_examples=60, deadline=None)
@given(st.tuples(CARDS, CARDS), st.integers(-12, 26), st.randoms(use_true_random=False), st.integers(0, 6))
def test_two_cards_from_any_beginning(hand: tuple[int, int], target: int, rng: random.Random, steps: int) -> None:
    agrees(walked(Formula(tuple(sorted(hand))), steps, rng), target, Solver(target))


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(CARDS, CARDS, CARDS),
    st.integers(-5, 40),
    st.randoms(use_true_random=False),
    st.integers(0, 9),
)
def test_three_cards_from_any_beginning(
    hand: tuple[int, int, int], target: int, rng: random.Random, steps: int
) -> None:
    agrees(walked(Formula(tuple(sorted(hand))), steps, rng), target, Solver(target))


@settings(max_examples=40, deadline=None)
@given(st.tuples(CARDS, CARDS, CARDS, CARDS), st.randoms(use_true_random=False), st.sampled_from([24, 0, 1, 10]))
def test_four_cards_once_one_is_placed(hand: tuple[int, ...], rng: random.Random, target: int) -> None:
    formula = Formula(tuple(sorted(hand)))
    while len(formula.left) > 2:
        formula = walked(formula, 1, rng)
    agrees(formula, target, Solver(target))


@settings(max_examples=15, deadline=None)
@given(st.lists(CARDS, min_size=2, max_size=5), st.randoms(use_true_random=False), st.integers(1, 30))
def test_following_it_makes_the_target_in_the_promised_number_of_steps(
    cards: list[int], rng: random.Random, target: int
) -> None:
    solver, formula = Solver(target), Formula(tuple(sorted(cards)))
    left = solver.tokens_left(formula)
    for step in range(left or 0):
        assert solver.tokens_left(formula) == left - step
        formula = formula.add(rng.choice(solver.best(formula)))
    if left:
        assert formula.done
        assert _worth(str(formula)) == target


@pytest.mark.parametrize(
    ("hand", "target", "tokens", "best"),
    [
        ((3, 3, 8, 8), 24, 10, ("8",)),
        ((1, 5, 5, 5), 24, 10, ("5", "(")),
        ((4, 6, 10, 10), 24, 8, ("4", "6", "10")),
        ((1, 1, 1, 1), 24, None, ()),
        ((1, 1, 1, 1), 4, 8, ("1",)),
        ((2, 3), 6, 4, ("2", "3")),
    ],
)
def test_well_known_hands(hand: tuple[int, ...], target: int, tokens: int | None, best: tuple[str, ...]) -> None:
    solver = Solver(target)
    assert solver.tokens_left(Formula(hand)) == tokens
    assert solver.best(Formula(hand)) == best


def test_after_a_division_by_zero_all_is_lost() -> None:
    formula = Formula((1, 3, 3))
    for symbol in ("1", "/", "(", "3", "-", "3"):
        formula = formula.add(symbol)
    assert Solver(1).tokens_left(formula.add(")")) is None
    assert Solver(1).tokens_left(formula.add(")").add("=")) is None
    assert Solver(1).best(formula) == ()


def test_a_factor_of_zero_may_still_be_multiplied() -> None:
    formula = Formula((3, 3, 5))
    for symbol in ("(", "3", "-", "3", ")", "*"):
        formula = formula.add(symbol)
    assert Solver(0).tokens_left(formula) == 2
    assert Solver(5).tokens_left(formula) is None
