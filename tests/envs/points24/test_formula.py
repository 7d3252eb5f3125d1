from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.points24 import Formula

HANDS = st.lists(st.integers(1, 13), min_size=2, max_size=5).map(lambda cards: tuple(sorted(cards)))


def written(hand: tuple[int, ...], text: str) -> Formula:
    formula = Formula(hand)
    for symbol in text.split():
        assert formula.problem(symbol) == ""
        formula = formula.add(symbol)
    return formula


def worth(text: str) -> Fraction | None:
    """What Python says a formula is worth."""
    try:
        return eval(re.sub(r"\d+", r"Fraction(\g<0>)", text.removesuffix("=")), {"Fraction": Fraction})
    except ZeroDivisionError:
        return None


@given(HANDS, st.randoms(use_true_random=False))
def test_any_choices_make_a_formula_that_is_worth_what_python_says(hand: tuple[int, ...], rng: random.Random) -> None:
    formula = Formula(hand)
    while not formula.done:
        formula = formula.add(rng.choice(formula.choices()))
    assert formula.value == worth(str(formula))
    assert sorted(map(int, re.findall(r"\d+", str(formula)))) == list(hand)
    assert len(formula.tokens) <= 30
    assert formula.choices() == []


def spelled(cards: list[int], rng: random.Random) -> str:
    """Any formula over the cards, with brackets around some of its parts."""
    if len(cards) == 1:
        return str(cards[0])
    cut = rng.randrange(1, len(cards))
    text = f"{spelled(cards[:cut], rng)} {rng.choice('+-*/')} {spelled(cards[cut:], rng)}"
    return f"( {text} )" if rng.random() < 0.6 else text


@given(HANDS, st.randoms(use_true_random=False))
def test_whatever_python_reads_can_be_written(hand: tuple[int, ...], rng: random.Random) -> None:
    cards = list(hand)
    rng.shuffle(cards)
    text = spelled(cards, rng)
    assert written(hand, f"{text} =").value == worth(text)


def test_choices_are_in_a_fixed_order() -> None:
    assert Formula((2, 7, 10, 10)).choices() == ["2", "7", "10", "("]
    assert written((2, 7, 10, 10), "10 - 7").choices() == ["+", "-", "*", "/"]
    assert written((2, 7, 10, 10), "( 10 - 7").choices() == ["+", "-", "*", "/", ")"]
    assert written((2, 7), "7 * 2").choices() == ["="]


@pytest.mark.parametrize(
    ("text", "symbol", "problem"),
    [
        ("", "+", "+ cannot come here; a number or ( comes next."),
        ("3 *", "-", "- cannot come here; a number or ( comes next."),
        ("", ")", "No bracket is open."),
        ("( 3 +", ")", "No bracket can be closed here; a number or ( comes next."),
        ("( 3 +", "5", "There is no card 5 left; cards left: 3, 8, 8."),
        ("3 + 3 *", "3", "There is no card 3 left; cards left: 8, 8."),
        ("3 + 3 *", "03", "There is no card 03 left; cards left: 8, 8."),
        ("3", "8", "8 cannot follow a number or a closed bracket; an operator comes next, or ) or =."),
        ("( 3 + 3 )", "(", "( cannot follow a number or a closed bracket; an operator comes next, or ) or =."),
        ("3 + 3", "=", "Not all cards are used; cards left: 8, 8."),
        ("3 + 3 * 8 + 8", "-", "All cards are used; end now."),
        ("3 + ( 3 * 8 + 8", "-", "All cards are used; close the bracket now."),
        ("3 + ( 3 * 8 + 8", "=", "A bracket is still open."),
        ("( ( (", "(", "Another bracket would have nothing to join; cards left: 3, 3, 8, 8."),
        ("3 + 3 + 8 +", "(", "Another bracket would have nothing to join; cards left: 8."),
        ("3 + 3 * 8 + 8 =", "=", "The formula is finished."),
    ],
)
def test_what_may_not_come_next_is_explained(text: str, symbol: str, problem: str) -> None:
    assert written((3, 3, 8, 8), text).problem(symbol) == problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8 / ( 3 - 8 / 3 ) =", 24),
        ("8 - 3 - 8 - 3 =", -6),
        ("8 / 8 / 3 / 3 =", Fraction(1, 9)),
        ("8 - ( 3 - 8 ) * 3 =", 23),
        ("( ( ( 8 ) ) - 8 ) * ( 3 - 3 ) =", 0),
        ("3 / ( 8 - 8 ) + 3 =", None),
        ("8 * ( 8 / ( 3 - 3 ) ) =", None),
    ],
)
def test_values_are_exact(text: str, value: Fraction | None) -> None:
    assert written((3, 3, 8, 8), text).value == value


def test_it_is_complete_when_only_the_end_is_missing() -> None:
    assert written((2, 7), "7 * 2").complete
    assert not written((2, 7), "( 7 * 2").complete
    assert not written((2, 7), "7 *").complete
    assert str(written((2, 7), "7 * 2 =")) == "7 * 2 ="
