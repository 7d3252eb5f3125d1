"""`Moves`: the operators that bring a fact about, or do away with it, in whatever state.

They are grounded from that fact: the regression of the planner. What an operator needs is
completed by what cannot hold beside it. An operator whose effects depend on the state stands for
several moves, one for each choice of the effects that happen: whatever it does, one of them does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.clauses import Literal
from agentgym_critic.envs.alfworld.native.effects import Effect, effects
from agentgym_critic.envs.alfworld.native.fluents import Fluent, union
from agentgym_critic.envs.alfworld.native.ground import ALWAYS, Condition, Grounder
from agentgym_critic.envs.alfworld.native.joins import Row, Terms
from agentgym_critic.envs.alfworld.native.planning.guards import guards
from agentgym_critic.envs.alfworld.native.planning.invariants import Exclusions
from agentgym_critic.envs.alfworld.native.schemas import Change, Schema
from agentgym_critic.envs.alfworld.native.syntax import Atom
from agentgym_critic.errors import EnvError

__all__ = ["Move", "Moves"]

MOST_WAYS = 100_000
"""Ways to choose an action's other objects, once one fact it changes is given."""
MOST_CHOICES = 8
"""Conditional effects of one operator; the choices between them multiply."""


class Move(NamedTuple):
    """What an operator needs and does, as masks."""

    need: int
    forbid: int
    excluded: int
    """Facts that are false where it is possible, since they cannot hold beside what it needs."""
    clear: int
    set: int
    guard: int
    """Needed facts that come about only where the fact it was grounded from already is as it makes it."""
    rivals: int
    """Facts that cannot hold beside the guard."""


class Moves:
    """The moves of one game, grounded as facts are asked for.

    Args:
        schemas: all ways in which actions can be possible.
        grounder: of the game.
        exclusions: of the game.
    """

    def __init__(self, schemas: Sequence[Schema], grounder: Grounder, exclusions: Exclusions) -> None:
        self._schemas, self._grounder, self._exclusions = schemas, grounder, exclusions
        self._plans: dict[tuple[int, int, tuple[str, ...]], _Plan] = {}
        self._known: dict[tuple[int, bool], tuple[Move, ...]] = {}

    def making(self, bit: int, positive: bool) -> tuple[Move, ...]:
        """The moves that make a fact true, or false.

        Raises:
            EnvError: there are too many.
        """
        known = self._known.get((bit, positive))
        if known is None:
            known = self._known[bit, positive] = tuple(dict.fromkeys(self._making(bit, positive)))
            self._grounder.keep(len(Move._fields) * len(known))
        return known

    def _making(self, bit: int, positive: bool) -> Iterator[Move]:
        fluents = self._grounder.facts.fluents.items()
        predicate, fluent = next((name, fluent) for name, fluent in fluents if fluent.mask >> bit & 1)
        for schema in self._schemas:
            for change in schema.changes:
                if (change.positive, change.atom.predicate) == (positive, predicate):
                    for move in self._grounded(schema, change, fluent.arguments(bit)):
                        made, had = (move.set, move.need) if positive else (move.clear, move.forbid)
                        if made & ~had & 1 << bit:
                            yield move

    def _grounded(self, schema: Schema, change: Change, arguments: tuple[int, ...]) -> Iterator[Move]:
        literal, query = Literal(True, *change.atom), schema.query
        binding = self._grounder.unify(change.condition, literal, arguments, {})
        if binding is None:
            return
        known = tuple([name for name in query.variables if name in binding])
        plan = self._plans.get((id(schema), id(change), known))
        if plan is None:
            guarding = guards(schema, change, self._schemas, self._grounder.vocabulary)
            plan = _Plan(schema, known, guarding, self._grounder, self._exclusions)
            self._plans[id(schema), id(change), known] = plan
        yield from plan.moves(tuple([binding[name] for name in known]))


class _Plan:
    """How the moves of an action are made from some of its objects."""

    def __init__(
        self,
        schema: Schema,
        known: tuple[str, ...],
        guarding: Sequence[Literal],
        grounder: Grounder,
        exclusions: Exclusions,
    ) -> None:
        self._changes, self._grounder, self._exclusions = schema.changes, grounder, exclusions
        self._check_size(schema, known)
        self._join = grounder.join(schema.query, known)
        self._atoms: list[_Atom] = []
        self._needs = self._places(schema.query.changing)
        self._forbids = self._places(one for one in schema.query.checks if one.predicate in grounder.facts.fluents)
        self._guards = self._places(guarding)
        self._plain = all(one.unconditional for one in schema.changes)
        self._sets, self._clears = [
            self._places(one.atom for one in schema.changes if one.positive == positive and self._plain)
            for positive in (True, False)
        ]

    def moves(self, start: Row) -> Iterator[Move]:
        """The moves that begin with the objects of the known variables."""
        for row in self._distinct(self._join.rows(start)):
            arguments = [atom.terms.of(row) for atom in self._atoms]
            facts = [atom.fluent.fact(things) for atom, things in zip(self._atoms, arguments, strict=True)]
            if any(not facts[place] for place in self._needs):
                continue
            given = Condition(_union(facts, self._needs), _union(facts, self._forbids))
            beside = {
                place: self._exclusions.beside(self._atoms[place].predicate, arguments[place]) for place in self._needs
            }
            excluded = _union(beside, self._needs)
            if given.need & (given.forbid | excluded):
                continue
            guard, rivals = _union(facts, self._guards), _union(beside, self._guards)
            for (need, forbid), clear, new in self._choices(row, facts, given):
                yield Move(given.need | need, given.forbid | forbid, excluded, clear, new, guard, rivals)

    def _check_size(self, schema: Schema, known: tuple[str, ...]) -> None:
        """Refuse an action with too many operators; objects that unchanging facts name are left out of the count."""
        query = schema.query
        named = {*known, *[name for literal in query.constant for name in literal.arguments]}
        ways = prod(
            len(self._grounder.vocabulary.of_type(kind)) for name, kind in query.variables.items() if name not in named
        )
        if ways > MOST_WAYS:
            raise EnvError(
                f"action {schema.action.name} can change one fact in {ways} ways; the planner takes {MOST_WAYS}"
            )

    def _distinct(self, rows: Sequence[Row]) -> Collection[Row]:
        """One row of all that differ only in objects of which nothing that changes is said."""
        if not self._plain:
            return rows
        places = sorted({place for atom in self._atoms for place in atom.terms.places if place >= 0})
        return {tuple([row[place] for place in places]): row for row in rows}.values()

    def _choices(self, row: Row, facts: Sequence[int], given: Condition) -> Iterable[Effect]:
        if self._plain:
            new = _union(facts, self._sets)
            return [Effect(ALWAYS, _union(facts, self._clears) & ~new, new)]
        binding = dict(zip(self._join.names, row, strict=True))
        return _choices(effects(self._changes, binding, given, self._grounder))

    def _places(self, atoms: Iterable[Literal | Atom]) -> list[int]:
        """Where the atoms stand among all atoms, to which they are added."""
        places = []
        for atom in atoms:
            fluent = self._grounder.facts.fluents[atom.predicate]
            made = _Atom(atom.predicate, fluent, self._join.terms(atom.arguments))
            if made not in self._atoms:
                self._atoms.append(made)
            places.append(self._atoms.index(made))
        return places


class _Atom(NamedTuple):
    """A fact of which a row names the objects."""

    predicate: str
    fluent: Fluent
    terms: Terms


def _union(masks: Sequence[int] | Mapping[int, int], places: Iterable[int]) -> int:
    return union(masks[place] for place in places)


def _choices(effects: Sequence[Effect]) -> Iterator[Effect]:
    """Everything that the effects can do together, each time with what must hold for it."""
    open_ones = [effect for effect in effects if effect.condition != ALWAYS]
    if len(open_ones) > MOST_CHOICES:
        raise EnvError(f"an action has {len(open_ones)} conditional effects; the planner takes {MOST_CHOICES}")
    always = [effect for effect in effects if effect.condition == ALWAYS]
    for happening in product((True, False), repeat=len(open_ones)):
        need = forbid = clear = new = 0
        for effect in (*always, *[effect for effect, happens in zip(open_ones, happening, strict=True) if happens]):
            need, forbid = need | effect.condition.need, forbid | effect.condition.forbid
            clear, new = clear | effect.clear, new | effect.set
        if not need & forbid:
            yield Effect(Condition(need, forbid), clear & ~new, new)
