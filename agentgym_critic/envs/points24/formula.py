"""`Formula`: the beginning of a formula over a hand of cards, what may come next, and what it is worth so far.

A formula uses every card of the hand once, with ``+ - * /`` and brackets, and ends with ``=``.
It is kept as a stack of levels, one for the formula and one for each open bracket. A level with
a finished part is ``total + term``: what is added up, and the product that may still grow. All
numbers are exact fractions; a division by zero makes the whole formula worth nothing at all.

Nothing here knows a target.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

__all__ = ["OPERATORS", "Formula", "Hand", "Level"]

OPERATORS = ("+", "-", "*", "/")

Hand = tuple[int, ...]
"""Numbers of cards, sorted."""


class Level(NamedTuple):
    """What stands in one bracket, or outside of all.

    Before an operand, `term` is multiplied with it, or divided by it.
    """

    total: Fraction = Fraction(0)
    term: Fraction = Fraction(1)
    divide: bool = False

    def take(self, operand: Fraction) -> Level | None:
        """The level after an operand; None after a division by zero."""
        if self.divide and not operand:
            return None
        return Level(self.total, self.term / operand if self.divide else self.term * operand)

    def join(self, operator: str) -> Level:
        """The level after an operator."""
        if operator in "*/":
            return Level(self.total, self.term, operator == "/")
        return Level(self.total + self.term, Fraction(1 if operator == "+" else -1))

    @property
    def value(self) -> Fraction:
        """What the level is worth if nothing more comes."""
        return self.total + self.term


class Formula(NamedTuple):
    """A formula that may not be finished."""

    left: Hand
    """The cards not used yet."""
    levels: tuple[Level, ...] | None = (Level(),)
    """Innermost last; None after a division by zero, when nothing is worth anything any more."""
    open_brackets: int = 0
    after_operand: bool = False
    """Whether the last token is a number or a closing bracket."""
    tokens: tuple[str, ...] = ()
    done: bool = False

    @property
    def value(self) -> Fraction | None:
        """What the finished formula is worth; None if it divides by zero."""
        return self.levels[0].value if self.levels else None

    @property
    def complete(self) -> bool:
        """Whether only the ``=`` is missing."""
        return self.after_operand and not self.left and not self.open_brackets

    def choices(self) -> list[str]:
        """The tokens that may come next: numbers first, ascending."""
        numbers = [str(number) for number in sorted(set(self.left))]
        return [symbol for symbol in (*numbers, *OPERATORS, "(", ")", "=") if not self.problem(symbol)]

    def problem(self, symbol: str) -> str:
        """Why a token may not come next, in words; empty if it may."""
        if self.done:
            return "The formula is finished."
        if symbol == "=":
            return self._problem_of_end()
        if symbol in OPERATORS:
            if not self.after_operand:
                return f"{symbol} cannot come here; a number or ( comes next."
            return (
                "" if self.left else f"All cards are used; {'close the bracket' if self.open_brackets else 'end'} now."
            )
        if symbol == ")":
            if not self.open_brackets:
                return "No bracket is open."
            return "" if self.after_operand else "No bracket can be closed here; a number or ( comes next."
        if self.after_operand:
            return f"{symbol} cannot follow a number or a closed bracket; an operator comes next, or ) or =."
        if symbol == "(":
            fits = self._just_opened < len(self.left) - 1
            return "" if fits else f"Another bracket would have nothing to join; cards left: {self.cards}."
        return "" if symbol in map(str, self.left) else f"There is no card {symbol} left; cards left: {self.cards}."

    def add(self, symbol: str) -> Formula:
        """The formula with one more token, which may come next."""
        formula = self._replace(tokens=(*self.tokens, symbol))
        if symbol == "=":
            return formula._replace(done=True)
        if symbol in OPERATORS:
            levels = self._top(self.levels[-1].join(symbol)) if self.levels else None
            return formula._replace(after_operand=False, levels=levels)
        if symbol == "(":
            levels = (*self.levels, Level()) if self.levels else None
            return formula._replace(open_brackets=self.open_brackets + 1, levels=levels)
        if symbol == ")":
            outer = formula._replace(open_brackets=self.open_brackets - 1)
            return outer._replace(levels=self.levels[:-1])._operand(self.levels[-1].value) if self.levels else outer
        cards = list(self.left)
        cards.remove(int(symbol))
        return formula._replace(left=tuple(cards))._operand(Fraction(int(symbol)))

    @property
    def cards(self) -> str:
        """The cards that are left, in words."""
        return ", ".join(map(str, self.left)) or "none"

    @property
    def _just_opened(self) -> int:
        """How many brackets have been opened since the last other token."""
        return next((count for count, symbol in enumerate(reversed(self.tokens)) if symbol != "("), len(self.tokens))

    def _problem_of_end(self) -> str:
        if self.left:
            return f"Not all cards are used; cards left: {self.cards}."
        return "A bracket is still open." if self.open_brackets else ""

    def _top(self, level: Level | None) -> tuple[Level, ...] | None:
        """The levels with another innermost one."""
        return None if level is None or not self.levels else (*self.levels[:-1], level)

    def _operand(self, number: Fraction) -> Formula:
        levels = self._top(self.levels[-1].take(number)) if self.levels else None
        return self._replace(after_operand=True, levels=levels)

    def __str__(self) -> str:
        """The tokens, with a space between them."""
        return " ".join(self.tokens)
