"""`Solver`: whether, how soon and how the beginning of a formula can be completed so that it makes the target.

Exact. What is still to be added to a formula has a number for each card left, an operator before
each but a first operand, a closing bracket for each open one, the ``=``, and two tokens for each
bracket that is opened on the way. Only the last of these is a choice, so a shortest continuation
is one that opens the fewest brackets.

For parts of the hand the solver tabulates which values can be made with how few brackets:
*factors* (a number, or a bracket), *products* (``* a / b ...``) and *sums* (``+ a * b - c ...``). A
level of the formula that has its operand then is worth ``total + term * product + sum``, and the
target is met in the middle: for each product, the sum that is needed is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

from agentgym_critic.envs.points24.formula import Formula, Hand, Level

__all__ = ["Solver"]

Values: TypeAlias = dict[Fraction, int]
"""For each value that can be made the fewest brackets to open for it."""

ONE, ZERO = Fraction(1), Fraction(0)
FRESH = Level()
"""A level with nothing in it."""


class _Part(NamedTuple):
    """The levels of a formula from some level inwards, and the cards that are to complete them."""

    levels: tuple[Level, ...]
    after_operand: bool
    cards: Hand

    @property
    def outer(self) -> Level:
        return self.levels[0]

    def inner(self, cards: Hand) -> _Part:
        """The same one level further in, to be completed with these cards."""
        return _Part(self.levels[1:], self.after_operand, cards)


class Solver:
    """Answers for every beginning of a formula; remembers what it found for the hands it was asked about.

    Args:
        target: what a formula is to make.
    """

    def __init__(self, target: int) -> None:
        self.target = Fraction(target)
        self._fewest_found: dict[tuple[_Part, Fraction], int | None] = {}
        self._completed: dict[_Part, Values] = {}
        self._product_tables: dict[Hand, Values] = {(): {ONE: 0}}
        self._sum_tables: dict[Hand, Values] = {(): {ZERO: 0}}

    def tokens_left(self, formula: Formula) -> int | None:
        """Tokens of the shortest continuation that makes the target, ``=`` included; None if there is none."""
        if formula.levels is None:
            return None
        if formula.done:
            return 0 if formula.value == self.target else None
        brackets = self._fewest(_Part(formula.levels, formula.after_operand, formula.left), self.target)
        if brackets is None:
            return None
        operators = len(formula.left) - (not formula.after_operand)
        return len(formula.left) + operators + formula.open_brackets + 2 * brackets + 1

    def best(self, formula: Formula) -> tuple[str, ...]:
        """All tokens that begin a shortest continuation."""
        left = self.tokens_left(formula)
        if not left:
            return ()
        return tuple(token for token in formula.choices() if self.tokens_left(formula.add(token)) == left - 1)

    def _fewest(self, part: _Part, goal: Fraction) -> int | None:
        """The fewest brackets to open so that a part is worth `goal`; None if it cannot be."""
        if (part, goal) not in self._fewest_found:
            self._fewest_found[part, goal] = min(self._ways(part, goal), default=None)
        return self._fewest_found[part, goal]

    def _ways(self, part: _Part, goal: Fraction) -> Iterator[int]:
        for operand, rest in _splits(part.cards):
            if not rest and not (part.after_operand and len(part.levels) == 1) and part.outer.term:
                yield from self._exact_operand(part, goal)
                continue
            for level, opened in self._heads(part, operand):
                yield from (opened + more for more in self._tails(level, rest, goal))

    def _exact_operand(self, part: _Part, goal: Fraction) -> Iterator[int]:
        """All cards go into the outer level's operand: the value that it must have is known."""
        wanted = _operand_for(part.outer, goal)
        if wanted is None or (part.outer == FRESH and len(part.levels) == 1 and len(part.cards) > 1):
            return  # a bracket around everything changes nothing
        if len(part.levels) > 1:
            inside, extra = part.inner(part.cards), 0
        elif len(part.cards) == 1:
            yield from [0] if part.cards[0] == wanted else []
            return
        else:
            inside, extra = _Part((FRESH,), False, part.cards), 1
        if (opened := self._fewest(inside, wanted)) is not None:
            yield opened + extra

    def _tails(self, level: Level, cards: Hand, goal: Fraction) -> Iterator[int]:
        for factors, summands in _splits(cards):
            sums = self._sums(summands)
            for number, opened in self._products(factors).items():
                more = sums.get(goal - level.total - level.term * number)
                if more is not None:
                    yield opened + more

    def _heads(self, part: _Part, cards: Hand) -> list[tuple[Level, int]]:
        """The outer level right after its operand, if that is made of exactly these cards."""
        if len(part.levels) > 1:
            operands = self._complete(part.inner(cards))
        elif part.after_operand:
            return [] if cards else [(part.outer, 0)]
        else:
            operands = self._factors(cards)
        taken = ((part.outer.take(number), opened) for number, opened in operands.items())
        return [(level, opened) for level, opened in taken if level]

    def _complete(self, part: _Part) -> Values:
        """What a part can be worth."""
        if part not in self._completed:
            values: Values = {}
            for operand, rest in _splits(part.cards):
                if not rest and len(operand) > 1 and part.levels == (FRESH,) and not part.after_operand:
                    continue  # a bracket around everything changes nothing
                for level, opened in self._heads(part, operand):
                    self._finish(values, level, opened, rest)
            self._completed[part] = values
        return self._completed[part]

    def _finish(self, values: Values, level: Level, opened: int, cards: Hand) -> None:
        for factors, summands in _splits(cards):
            pairs = product(self._products(factors).items(), self._sums(summands).items())
            for (number, more), (summand, most) in pairs:
                _keep(values, level.total + level.term * number + summand, opened + more + most)

    def _factors(self, cards: Hand) -> Values:
        if len(cards) < 2:
            return {Fraction(card): 0 for card in cards}
        inside = self._complete(_Part((FRESH,), False, cards))
        return {number: opened + 1 for number, opened in inside.items()}

    def _products(self, cards: Hand) -> Values:
        if cards not in self._product_tables:
            values: Values = {}
            for first, rest in _splits(cards):
                for (factor, opened), (number, more) in product(
                    self._factors(first).items(), self._products(rest).items() if first else ()
                ):
                    _keep(values, factor * number, opened + more)
                    if factor:
                        _keep(values, number / factor, opened + more)
            self._product_tables[cards] = values
        return self._product_tables[cards]

    def _sums(self, cards: Hand) -> Values:
        if cards not in self._sum_tables:
            values: Values = {}
            for sign in (ONE, -ONE):
                for number, opened in self._complete(_Part((Level(ZERO, sign),), False, cards)).items():
                    _keep(values, number, opened)
            self._sum_tables[cards] = values
        return self._sum_tables[cards]


def _keep(values: Values, number: Fraction, opened: int) -> None:
    if opened < values.get(number, opened + 1):
        values[number] = opened


def _operand_for(level: Level, goal: Fraction) -> Fraction | None:
    """The operand that makes a level worth `goal`, if its term is not 0; None if no number does."""
    needed = goal - level.total
    if not level.divide:
        return needed / level.term
    return level.term / needed if needed else None


@lru_cache(maxsize=1024)
def _splits(cards: Hand) -> list[tuple[Hand, Hand]]:
    """All ways to part a hand in two; equal ones once.

    >>> _splits((2, 2))
    [((), (2, 2)), ((2,), (2,)), ((2, 2), ())]
    """
    parts = {}
    for takes in product((False, True), repeat=len(cards)):
        taken = tuple(card for card, take in zip(cards, takes, strict=True) if take)
        parts[taken] = tuple(card for card, take in zip(cards, takes, strict=True) if not take)
    return list(parts.items())
