"""Actions in the form in which they are matched: one schema for each clause of a precondition.

Computed once for a domain and shared by all its games. It knows no objects but by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.budget import Budget, check_size
from agentgym_critic.envs.alfworld.native.clauses import EQUALS, Clause, Literal, clauses, literal_budget
from agentgym_critic.envs.alfworld.native.syntax import Action, Atom, ConditionalEffect, Domain, Formula, Parameter

__all__ = ["Change", "Query", "Schema", "constants_of", "fluent_names", "goal_queries", "schemas"]

MOST_CHANGES = 1_000
"""Effects of an action, one for each case of their conditions; real games have at most eight."""
MOST_LITERALS = 1_000
"""Literals that must all hold; real games have at most eight."""
MOST_VARIABLES = 1_000
"""Variables of a conjunction, those of its action included; real games have at most six."""


class Query(NamedTuple):
    """A conjunction with typed variables, its literals sorted by how they are decided."""

    variables: dict[str, str]
    """The type of each variable."""
    constant: tuple[Literal, ...]
    """Positive, of predicates that no action changes."""
    changing: tuple[Literal, ...]
    """Positive, of predicates that actions change."""
    checks: tuple[Literal, ...]
    """Negative literals and equalities."""


class Change(NamedTuple):
    """What an action does to one fact, if its condition holds in the state before."""

    positive: bool
    atom: Atom
    condition: Query
    unconditional: bool


class Schema(NamedTuple):
    """One way in which an action can be possible."""

    action: Action
    query: Query
    changes: tuple[Change, ...]


def fluent_names(domain: Domain) -> frozenset[str]:
    """The predicates that actions change."""
    return frozenset(effect.atom.predicate for action in domain.actions.values() for effect in action.effects)


def schemas(domain: Domain) -> tuple[Schema, ...]:
    """The schemas of all actions, in the order of the domain."""
    fluents = fluent_names(domain)
    budget = literal_budget("domain")
    found = []
    for action in domain.actions.values():
        changes = tuple(change for effect in action.effects for change in _changes(effect, action, fluents, budget))
        check_size(f"the effects of the action {action.name!r}", len(changes), MOST_CHANGES)
        for clause in clauses(action.precondition, budget):
            budget.spend(len(changes))
            found.append(Schema(action, _query(clause, action.parameters, fluents, budget), changes))
    return tuple(found)


def goal_queries(goal: Formula, fluents: frozenset[str]) -> tuple[Query, ...]:
    """The clauses of a goal, any of which is enough."""
    budget = literal_budget("goal")
    return tuple(_query(clause, (), fluents, budget) for clause in clauses(goal, budget))


def constants_of(schemas: Iterable[Schema]) -> set[str]:
    """The objects that the actions themselves name."""
    found: set[str] = set()
    for schema in schemas:
        for query in (schema.query, *[change.condition for change in schema.changes]):
            for literal in (*query.constant, *query.changing, *query.checks):
                found.update(literal.arguments)
        for change in schema.changes:
            found.update(change.atom.arguments)
    return {name for name in found if not name.startswith("?")}


def _changes(effect: ConditionalEffect, action: Action, fluents: frozenset[str], budget: Budget) -> list[Change]:
    each = effect.parameters  # what holds for each of them is a change of many facts
    outer = (*action.parameters, *each)
    cases = [(clause, _query(clause, outer, fluents, budget)) for clause in clauses(effect.condition, budget)]
    return [
        Change(effect.positive, effect.atom, query, clause == Clause((), ()) and not each) for clause, query in cases
    ]


def _query(clause: Clause, outer: Sequence[Parameter], fluents: frozenset[str], budget: Budget) -> Query:
    check_size("the literals of one case of a condition", len(clause.literals), MOST_LITERALS)
    check_size("the variables of one case of a condition", len(outer) + len(clause.variables), MOST_VARIABLES)
    budget.spend(1 + len(outer))
    variables = {parameter.name: parameter.type for parameter in (*outer, *clause.variables)}
    plain = [literal for literal in clause.literals if literal.positive and literal.predicate != EQUALS]
    others = [literal for literal in clause.literals if not literal.positive or literal.predicate == EQUALS]
    return Query(
        variables,
        tuple(literal for literal in plain if literal.predicate not in fluents),
        tuple(literal for literal in plain if literal.predicate in fluents),
        tuple(others),
    )
