"""Which objects can ever stand in which place of a fact, so that states have no bits for the rest.

An over-estimate that looks at each argument by itself: the objects in the initial facts, and
those that actions may put there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.clauses import Literal
from agentgym_critic.envs.alfworld.native.schemas import Query, Schema
from agentgym_critic.envs.alfworld.native.vocabulary import Vocabulary

__all__ = ["Domains", "argument_domains"]

MOST_STEPS = 5_000_000
"""Objects looked at on the way; a real game takes up to 32,776."""

Domains = dict[str, list[set[int]]]
"""For each predicate and each of its places the objects that can stand there."""


def argument_domains(
    schemas: Sequence[Schema], initial: Mapping[str, Iterable[tuple[int, ...]]], vocabulary: Vocabulary
) -> Domains:
    """The objects that can stand in each place of each predicate.

    Args:
        schemas: all ways in which actions can be possible.
        initial: the facts that hold at the start, by predicate.
        vocabulary: the objects and their types.

    Raises:
        EnvError: it takes too long to find out.
    """
    domains: Domains = {
        predicate: [set(column) for column in zip(*facts, strict=True)] for predicate, facts in initial.items()
    }
    for schema in schemas:
        for change in schema.changes:
            domains.setdefault(change.atom.predicate, [set() for _ in change.atom.arguments])
    budget = Budget("the objects looked at to see which facts there can be", MOST_STEPS)
    growing = True
    while growing:
        grown = [_widen(schema, domains, vocabulary, budget) for schema in schemas]
        growing = any(grown)
    return domains


def _widen(schema: Schema, domains: Domains, vocabulary: Vocabulary, budget: Budget) -> bool:
    outer = _possible(schema.query, {}, domains, vocabulary, budget)
    grown = False
    for change in schema.changes if outer is not None else ():
        inner = _possible(change.condition, outer or {}, domains, vocabulary, budget)
        if inner is None:
            continue
        for place, argument in enumerate(change.atom.arguments):
            new = inner[argument] if argument in inner else {vocabulary.rank(argument)}
            budget.spend(1 + len(new))
            if not new <= domains[change.atom.predicate][place]:
                domains[change.atom.predicate][place] |= new
                grown = True
    return grown


def _possible(
    query: Query, outer: Mapping[str, set[int]], domains: Domains, vocabulary: Vocabulary, budget: Budget
) -> dict[str, set[int]] | None:
    budget.spend(1 + len(query.variables))
    possible = {
        name: outer[name] if name in outer else vocabulary.of_type(kind) for name, kind in query.variables.items()
    }
    for literal in (*query.constant, *query.changing):
        if not _narrow(possible, literal, domains, vocabulary, budget):
            return None
    return possible if all(possible.values()) else None


def _narrow(
    possible: dict[str, set[int]], literal: Literal, domains: Domains, vocabulary: Vocabulary, budget: Budget
) -> bool:
    places = domains.get(literal.predicate)
    if places is None:
        return False
    for argument, place in zip(literal.arguments, places, strict=True):
        if argument in possible:
            budget.spend(len(possible[argument]))
            possible[argument] = possible[argument] & place
        elif vocabulary.rank(argument) not in place:
            return False
    return True
