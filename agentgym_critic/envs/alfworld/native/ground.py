"""From queries with variables to masks over a state: which bits must be one, which zero.

The unchanging literals of a query are decided here, once; what remains is two masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.clauses import Literal
from agentgym_critic.envs.alfworld.native.facts import Facts
from agentgym_critic.envs.alfworld.native.fluents import Arguments, Pattern, union
from agentgym_critic.envs.alfworld.native.joins import Join
from agentgym_critic.envs.alfworld.native.schemas import Query
from agentgym_critic.envs.alfworld.native.vocabulary import Vocabulary

__all__ = ["ALWAYS", "Binding", "Condition", "Grounder"]

MOST_ROWS = 5_000_000
"""Rows of objects that a game looks at as long as it is kept; real games do at up to 50,675."""
UNIFICATION = 10
"""Rows that take as long as to unify once."""
MOST_BYTES = 2_000_000_000
"""Bytes of a game's operators, of its goal and of the planner's moves, with each mask counted as long as the longest;
real games have up to 34 million."""

Binding = Mapping[str, int]
"""The objects that variables stand for."""


class Condition(NamedTuple):
    """Holds in a state where all bits of `need` are one and all of `forbid` zero."""

    need: int
    forbid: int

    def holds(self, state: int) -> bool:
        """Whether it holds."""
        return state & self.need == self.need and not state & self.forbid


ALWAYS = Condition(0, 0)
"""Holds in every state."""


class Grounder:
    """Finds what the variables of a query may stand for in one game."""

    def __init__(self, facts: Facts, vocabulary: Vocabulary) -> None:
        self.facts = facts
        self.vocabulary = vocabulary
        self._joins: dict[tuple[int, tuple[str, ...]], Join] = {}
        self.rows = Budget("the rows of objects that its conditions are tried with", MOST_ROWS)
        self.bytes = Budget("the bytes of its operators, conditions and moves", MOST_BYTES)
        self._mask_bytes = max((fluent.mask.bit_length() for fluent in facts.fluents.values()), default=0) // 8

    def keep(self, masks: int, others: int = 0) -> None:
        """Count masks, and bytes of other things, that are kept as long as the game.

        Raises:
            EnvError: there are too many.
        """
        self.bytes.spend(masks * self._mask_bytes + others)

    def conditions(self, query: Query, binding: Binding) -> Iterator[tuple[Binding, Condition]]:
        """Every way to satisfy a query that goes on from a binding, with what it asks of the state."""
        known = tuple([name for name in query.variables if name in binding])
        join = self.join(query, known)
        for row in join.rows(tuple([binding[name] for name in known])):
            full = dict(zip(join.names, row, strict=True))
            condition = self._condition(query, full)
            if condition is not None:
                yield full, condition

    def join(self, query: Query, known: tuple[str, ...]) -> Join:
        """The plan for the unchanging part of a query, made once."""
        key = id(query), known
        made = self._joins.get(key)
        if made is None:
            made = self._joins[key] = Join(query, known, self.facts, self.vocabulary, self.rows)
        return made

    def unify(self, query: Query, literal: Literal, arguments: Arguments, binding: Binding) -> Binding | None:
        """The binding, extended so that the literal speaks of these objects; None if it cannot."""
        self.rows.spend(UNIFICATION)
        extended = dict(binding)
        for argument, thing in zip(literal.arguments, arguments, strict=True):
            if argument in extended:
                if extended[argument] != thing:
                    return None
            elif argument not in query.variables:
                if self.vocabulary.rank(argument) != thing:
                    return None
            elif self.vocabulary.is_a(thing, query.variables[argument]):
                extended[argument] = thing
            else:
                return None
        return extended

    def reached(self, query: Query, literal: Literal, binding: Binding) -> set[Pattern]:
        """What the unchanging facts around a binding leave open of a literal's arguments."""
        found: set[Pattern] = set()
        waiting = [(list(query.constant), binding)]
        while waiting:
            literals, known = waiting.pop()
            wanted = self.pattern(query, literal, known)
            touching = next((one for one in literals if any(name in known for name in one.arguments)), None)
            if touching is None or None not in wanted:
                found.add(wanted)
                continue
            rest = [other for other in literals if other is not touching]
            for arguments in self.facts.unchanging(touching.predicate, self.pattern(query, touching, known)):
                extended = self.unify(query, touching, arguments, known)
                if extended is not None:
                    waiting.append((rest, extended))
        return found

    def pattern(self, query: Query, literal: Literal, binding: Binding) -> Pattern:
        """The arguments of a literal as far as they are known."""
        return tuple(
            binding.get(argument) if argument in query.variables else self.vocabulary.rank(argument)
            for argument in literal.arguments
        )

    def arguments(self, names: Sequence[str], binding: Binding) -> Arguments:
        """The objects that variables and constants stand for, once all variables are bound."""
        return tuple([binding[name] if name in binding else self.vocabulary.rank(name) for name in names])

    def _condition(self, query: Query, binding: Binding) -> Condition | None:
        needed = [self._fact(literal, binding) for literal in query.changing]
        changing = [literal for literal in query.checks if literal.predicate in self.facts.fluents]
        need, forbid = union(needed), union(self._fact(literal, binding) for literal in changing)
        return Condition(need, forbid) if all(needed) and not need & forbid else None

    def _fact(self, literal: Literal, binding: Binding) -> int:
        return self.facts.fluents[literal.predicate].fact(self.arguments(literal.arguments, binding))
