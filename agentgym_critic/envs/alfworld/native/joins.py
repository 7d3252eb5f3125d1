"""Rows of objects that satisfy the unchanging part of a query, by a fixed plan of index look-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.clauses import EQUALS, Literal
from agentgym_critic.envs.alfworld.native.facts import Facts
from agentgym_critic.envs.alfworld.native.fluents import Arguments
from agentgym_critic.envs.alfworld.native.schemas import Query
from agentgym_critic.envs.alfworld.native.vocabulary import Vocabulary

__all__ = ["Join", "Row", "Terms"]

Row = tuple[int, ...]
"""The objects that variables stand for, in the order of a join's `names`."""


class _Step(NamedTuple):
    """One look-up, or one check."""

    fan: int
    """Rows made of one row, at most."""
    run: Callable[[Iterable[Row]], list[Row]]


class Terms(NamedTuple):
    """The arguments of a literal as places of a row; constants as ``~rank``."""

    places: tuple[int, ...]

    def of(self, row: Row) -> Arguments:
        """The objects a row puts there."""
        return tuple([row[place] if place >= 0 else ~place for place in self.places])


class Join:
    """A plan for one query, from the variables that are known at the start.

    Args:
        query: its positive unchanging literals and its checks of unchanging facts are decided.
        known: the variables known at the start.
        facts: of the game.
        vocabulary: of the game.
        budget: for the rows that are looked at.
    """

    def __init__(
        self, query: Query, known: Sequence[str], facts: Facts, vocabulary: Vocabulary, budget: Budget
    ) -> None:
        self.names = list(known)
        self._query, self._facts, self._vocabulary, self._budget = query, facts, vocabulary, budget
        self._steps: list[_Step] = []
        literals = list(query.constant)
        while literals:
            literal = min(literals, key=self._unknown)
            literals.remove(literal)
            self._steps.append(self._look_up(literal))
        for name in query.variables:
            if name not in self.names:
                self._steps.append(self._enumerate(name))
        self._steps += [self._check(literal) for literal in query.checks if self._decided(literal)]

    def rows(self, start: Row) -> list[Row]:
        """All rows that begin with the objects of the known variables.

        Raises:
            EnvError: the game has looked at too many.
        """
        rows = [start]
        for fan, run in self._steps:
            self._budget.spend(len(rows) * fan)
            rows = run(rows)
        return rows

    def terms(self, arguments: Sequence[str]) -> Terms:
        """Where a row holds these arguments."""
        return Terms(
            tuple(
                self.names.index(argument) if argument in self._query.variables else ~self._vocabulary.rank(argument)
                for argument in arguments
            )
        )

    def _unknown(self, literal: Literal) -> int:
        return sum(self._is_unknown(argument) for argument in literal.arguments)

    def _is_unknown(self, argument: str) -> bool:
        return argument in self._query.variables and argument not in self.names

    def _look_up(self, literal: Literal) -> _Step:
        bound = tuple(place for place, name in enumerate(literal.arguments) if not self._is_unknown(name))
        key = self.terms([literal.arguments[place] for place in bound])
        index = self._endings(literal, bound)
        self._budget.spend(len(index))
        fan = max(map(len, index.values()), default=0)
        return _Step(fan, lambda rows: [row + end for row in rows for end in index.get(key.of(row), ())])

    def _endings(self, literal: Literal, bound: tuple[int, ...]) -> Mapping[Arguments, list[Row]]:
        """For the known arguments of a literal what its unknown ones may be."""
        first: dict[str, int] = {}
        for place, name in enumerate(literal.arguments):
            if place not in bound:
                first.setdefault(name, place)
        self.names += first
        kinds = tuple((place, self._query.variables[name]) for name, place in first.items())
        same = tuple(
            (first[name], place) for place, name in enumerate(literal.arguments) if first.get(name, place) != place
        )
        return self._facts.endings(literal.predicate, bound, kinds, same)

    def _enumerate(self, name: str) -> _Step:
        things = set(self._vocabulary.of_type(self._query.variables[name]))
        for literal in self._query.changing:
            for place, argument in enumerate(literal.arguments):
                if argument == name:
                    things.intersection_update(self._facts.fluents[literal.predicate].domains[place])
        self.names.append(name)
        ends = [(thing,) for thing in sorted(things)]
        return _Step(len(ends), lambda rows: [row + end for row in rows for end in ends])

    def _decided(self, literal: Literal) -> bool:
        return literal.predicate == EQUALS or literal.predicate not in self._facts.fluents

    def _check(self, literal: Literal) -> _Step:
        terms, facts = self.terms(literal.arguments), self._facts

        def passes(row: Row) -> bool:
            things = terms.of(row)
            if literal.predicate == EQUALS:
                return (things[0] == things[1]) == literal.positive
            return facts.always(literal.predicate, things) == literal.positive

        return _Step(1, lambda rows: [row for row in rows if passes(row)])
