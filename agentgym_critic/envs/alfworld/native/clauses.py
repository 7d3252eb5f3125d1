"""Formulas as clauses: a disjunction of conjunctions, each with the variables that exist beside it.

This is the form in which conditions are matched against a state. It knows no objects and no facts.
"""

from __future__ import annotations

from itertools import chain, count, product
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.syntax import And, Atom, Equal, Exists, Formula, Not, Or, Parameter
from agentgym_critic.errors import EnvError

__all__ = ["EQUALS", "Clause", "Literal", "clauses", "literal_budget"]

EQUALS = "="
"""The predicate of an equality."""

LARGEST = 10_000
"""More clauses than any game of this family has; a formula of n two-way choices would have 2^n."""

MOST_LITERALS = 50_000
"""Literals and variables made on the way to the clauses of a domain or goal; real games take up to 497."""


class Literal(NamedTuple):
    """A predicate that must hold, or must not."""

    positive: bool
    predicate: str
    arguments: tuple[str, ...]
    """Names of objects, and variables, which begin with ``?``."""


class Clause(NamedTuple):
    """A conjunction of literals."""

    variables: tuple[Parameter, ...]
    """Those that need only exist, under names used nowhere else."""
    literals: tuple[Literal, ...]


def literal_budget(what: str) -> Budget:
    """What the conditions of `what` may take together."""
    return Budget(f"the literals of the conditions of the {what}, with their choices multiplied out", MOST_LITERALS)


def clauses(formula: Formula, budget: Budget | None = None) -> tuple[Clause, ...]:
    """The clauses of a formula; it holds where any of them does.

    Args:
        formula: a condition.
        budget: of all conditions that it belongs to; None for one of its own.

    Raises:
        EnvError: a variable that must not exist, or too many clauses or literals.
    """
    return tuple(_Clauses(budget or literal_budget("formula")).of(formula, True, {}))


class _Clauses:
    """Makes the clauses of one formula."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._fresh = budget, count()

    def of(self, formula: Formula, positive: bool, names: dict[str, str]) -> list[Clause]:
        match formula:
            case Atom(predicate, arguments):
                return [self._single(positive, predicate, arguments, names)]
            case Equal(left, right):
                return [self._single(positive, EQUALS, (left, right), names)]
            case Not(inner):
                return self.of(inner, not positive, names)
            case And(parts) | Or(parts):
                choices = [self.of(part, positive, names) for part in parts]
                return self._all(choices) if isinstance(formula, And) == positive else list(chain(*choices))
            case Exists(parameters, inner) if positive:
                renamed = {parameter.name: f"{parameter.name}#{next(self._fresh)}" for parameter in parameters}
                variables = tuple(Parameter(renamed[name], kind) for name, kind in parameters)
                inside = self.of(inner, True, names | renamed)
                self._budget.spend(len(variables) * len(inside))
                return [Clause(variables + clause.variables, clause.literals) for clause in inside]
        raise EnvError(
            f"{type(formula).__name__.lower()} {'' if positive else 'under not '}is not supported in a condition"
        )

    def _single(self, positive: bool, predicate: str, arguments: tuple[str, ...], names: dict[str, str]) -> Clause:
        self._budget.spend()
        return Clause((), (Literal(positive, predicate, tuple(names.get(name, name) for name in arguments)),))

    def _all(self, choices: list[list[Clause]]) -> list[Clause]:
        total = 1
        for choice in choices:
            total *= len(choice)
            if total > LARGEST:
                raise EnvError(f"a condition has more than {LARGEST} cases once its choices are multiplied out")
        for choice in choices if total else ():
            self._budget.spend(sum(map(_size, choice)) * (total // len(choice)))
        return [
            Clause(
                tuple(variable for clause in chosen for variable in clause.variables),
                tuple(dict.fromkeys(literal for clause in chosen for literal in clause.literals)),
            )
            for chosen in product(*choices)
        ]


def _size(clause: Clause) -> int:
    return 1 + len(clause.variables) + len(clause.literals)
