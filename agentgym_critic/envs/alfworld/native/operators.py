"""What can be done in a state: actions with their objects, found as states come up.

Each schema waits on at most two facts, its anchor and its trigger: of the facts it needs, those
that fewest hold of (where the agent is, what it holds). Operators are worked out when their two
facts first hold together, and kept; a step then looks only at facts that do hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.envs.alfworld.native.clauses import Literal
from agentgym_critic.envs.alfworld.native.effects import Effect, effects
from agentgym_critic.envs.alfworld.native.fluents import Fluent, bits, union
from agentgym_critic.envs.alfworld.native.ground import ALWAYS, Binding, Condition, Grounder
from agentgym_critic.envs.alfworld.native.joins import Join, Row, Terms
from agentgym_critic.envs.alfworld.native.schemas import Change, Schema
from agentgym_critic.envs.alfworld.native.speech import Speech

__all__ = ["Operator", "Operators"]

_LOCK = threading.Lock()

KEPT = 64
"""Sets of possible commands remembered at a place."""

MOST_COMMANDS = 10_000
"""Commands that are possible at once; in real games up to 91 are."""
OPERATOR_BYTES = 250
"""Bytes of an operator without its masks and its command."""


SpeechOf = Callable[[Schema, Join], Speech]
"""The speech of an action, from the plan that orders the objects of its operators."""


class Operator:
    """An action with its objects. Its effects are worked out when they are first asked for."""

    __slots__ = ("_effects", "_family", "command", "forbid", "need", "row")

    def __init__(self, family: _Family, row: Row, need: int, forbid: int, command: str | None) -> None:
        self._family = family
        self._effects: list[Effect] | None = None
        self.row = row
        self.need, self.forbid = need, forbid
        """What it asks of a state besides its anchor and trigger, as masks."""
        self.command = command
        """How players say it; None where that depends on the state."""

    def said(self, state: int) -> str:
        """How players say it in a state."""
        return self.command or self._family.speech.command(self.row, state)

    def told(self, state: int) -> str:
        """What players are told once it has led to a state."""
        return self._family.speech.feedback(self.row, state)

    @property
    def effects(self) -> list[Effect]:
        """What it changes; the first is unconditional, if any is."""
        if self._effects is None:
            self._effects = self._family.effects(self.row)
        return self._effects

    def applied(self, state: int) -> int:
        """The state afterwards. What is both set and cleared is set."""
        clear = new = 0
        for condition, cleared, added in self.effects:
            if condition.holds(state):
                clear |= cleared
                new |= added
        return (state | clear) ^ clear | new


class Operators:
    """The operators of one game.

    Args:
        schemas: all ways in which actions can be possible.
        grounder: of the game.
        initial: the initial state; how many facts of a predicate hold in it decides what waits on what.
        speech: of an action, with the plan that orders the objects of its operators.
    """

    def __init__(self, schemas: Sequence[Schema], grounder: Grounder, initial: int, speech: SpeechOf) -> None:
        crowd = {name: (initial & fluent.mask).bit_count() for name, fluent in grounder.facts.fluents.items()}
        families = [_Family(schema, crowd, grounder, speech) for schema in schemas]
        self.worded = any(family.speech.changing for family in families)
        """Whether the wording of some command depends on the state."""
        self._everywhere = _Site([(family, ()) for family in families if family.anchor is None])
        self._anchored = [family for family in families if family.anchor is not None]
        self._sites: dict[int, _Site] = {}
        self._anchors = union(family.anchors for family in self._anchored)

    def possible(self, state: int) -> dict[str, Operator]:
        """What can be done in a state, by command, unsorted."""
        found = self._everywhere.possible(state)
        for bit in bits(state & self._anchors):
            site = self._sites.get(bit)
            if site is None:
                site = self._sites[bit] = self._site(bit)
            found = site.possible(state) | found
            check_size("the commands that are possible at once", len(found), MOST_COMMANDS)
        return found

    def _site(self, bit: int) -> _Site:
        starts = [(family, family.anchored(bit)) for family in self._anchored if family.anchors >> bit & 1]
        return _Site([(family, start) for family, start in starts if start is not None])


class _Site:
    """What one anchor makes possible."""

    def __init__(self, starts: Sequence[tuple[_Family, Row]]) -> None:
        self._at_once = [one for family, start in starts if family.trigger is None for one in family.operators(start)]
        self._waiting = [(family, start) for family, start in starts if family.trigger is not None]
        self._triggered: dict[int, list[Operator]] = {}
        self._triggers = union(family.triggers(start) for family, start in self._waiting)
        self._asked = self._triggers | _asked(self._at_once)
        self._known: dict[int, dict[str, Operator]] = {}

    def possible(self, state: int) -> dict[str, Operator]:
        """What can be done here, by command; not to be changed."""
        found = self._known.get(state & self._asked)
        if found is None:
            found = self._found(state)
            if len(self._known) >= KEPT:
                self._known.clear()
            if all(operator.command is not None for operator in found.values()):
                self._known[state & self._asked] = found
        return found

    def _found(self, state: int) -> dict[str, Operator]:
        operators = _met(self._at_once, state)
        for bit in bits(state & self._triggers):
            triggered = self._triggered.get(bit)
            if triggered is None:
                triggered = self._triggered[bit] = self._trigger(bit)
            operators += _met(triggered, state)
        check_size("the commands that are possible at once", len(operators), MOST_COMMANDS)
        # Of several with the same command the first counts.
        return {operator.said(state): operator for operator in reversed(operators)}

    def _trigger(self, bit: int) -> list[Operator]:
        operators = [one for family, start in self._waiting for one in family.triggered(start, bit)]
        with _LOCK:  # players in other threads widen it too, and a bit lost would mix up what is known
            self._asked |= _asked(operators)
            self._known.clear()
        return operators


class _Family:
    """All operators of a schema."""

    def __init__(self, schema: Schema, crowd: Mapping[str, int], grounder: Grounder, speech: SpeechOf) -> None:
        self.schema = schema
        self._grounder = grounder
        rarest = sorted(schema.query.changing, key=lambda literal: crowd[literal.predicate])
        self.anchor, self.trigger = (*rarest[:2], None, None)[:2]
        self.anchors = self._fluent(self.anchor).mask if self.anchor else 0
        self._anchor_names = _variables(schema, [self.anchor])
        self._known_names = _variables(schema, [self.anchor, self.trigger])
        self._join = grounder.join(schema.query, self._known_names)
        self.speech = speech(schema, self._join)
        self._awaits, self._needs = self._facts(rarest[:2]), self._facts(rarest[2:])
        self._forbids = self._facts([one for one in schema.query.checks if one.predicate in grounder.facts.fluents])
        self._grants = [self._granted_by(change) for change in schema.changes]

    def anchored(self, bit: int) -> Row | None:
        """The objects of the anchor whose fact is `bit`."""
        assert self.anchor is not None
        return self._bound(self.anchor, bit, {}, self._anchor_names)

    def triggers(self, start: Row) -> int:
        """The facts that can be triggers beside an anchor, as a mask."""
        assert self.trigger is not None
        fluent, binding = self._fluent(self.trigger), dict(zip(self._anchor_names, start, strict=True))
        return union(map(fluent.matching, self._grounder.reached(self.schema.query, self.trigger, binding)))

    def triggered(self, start: Row, bit: int) -> list[Operator]:
        """The operators beside an anchor once the fact `bit` holds."""
        assert self.trigger is not None
        if not self._fluent(self.trigger).mask >> bit & 1:
            return []
        binding = dict(zip(self._anchor_names, start, strict=True))
        full = self._bound(self.trigger, bit, binding, self._known_names)
        return [] if full is None else self.operators(full)

    def operators(self, start: Row) -> list[Operator]:
        """All operators that begin with the objects of anchor and trigger."""
        return [made for row in self._join.rows(start) if (made := self._made(row)) is not None]

    def binding(self, row: Row) -> Binding:
        return dict(zip(self._join.names, row, strict=True))

    def condition(self, row: Row) -> Condition:
        _, condition = next(self._grounder.conditions(self.schema.query, self.binding(row)))
        return condition

    def effects(self, row: Row) -> list[Effect]:
        found = effects(self.schema.changes, self.binding(row), self.condition(row), self._grounder)
        self._grounder.keep(sum(2 if effect.condition == ALWAYS else 4 for effect in found))
        return found

    def _made(self, row: Row) -> Operator | None:
        needed = _located(self._needs, row)
        need, forbid = union(needed), union(_located(self._forbids, row))
        granted = need | union(_located(self._awaits, row)) if forbid else need
        if not all(needed) or forbid & granted or self._is_idle(row):
            return None
        command = None if self.speech.changing else self.speech.command(row, 0)
        self._grounder.keep(2, OPERATOR_BYTES + len(command or ""))
        return Operator(self, row, need, forbid, command)

    def _is_idle(self, row: Row) -> bool:
        # The quick look at the objects alone spares nearly all operators the second one.
        for grants in self._grants:
            if not any(all(row[one] == row[other] for one, other in pairs) for pairs in grants):
                return False
        return not self.effects(row)

    def _granted_by(self, change: Change) -> list[_Pairs]:
        """The ways in which the effect may be granted already: which objects of a row must then be the same."""
        if not change.unconditional:
            return [[]]
        query, name = self.schema.query, change.atom.predicate
        granting = query.changing if change.positive else query.checks
        facts = [literal.arguments for literal in granting if literal.predicate == name]
        others = () if change.positive else self.schema.changes
        facts += [other.atom.arguments for other in others if other.positive and other.atom.predicate == name]
        terms = self._join.terms
        return [_differing(terms(change.atom.arguments), terms(arguments)) for arguments in facts]

    def _bound(self, literal: Literal, bit: int, binding: Binding, names: tuple[str, ...]) -> Row | None:
        arguments = self._fluent(literal).arguments(bit)
        full = self._grounder.unify(self.schema.query, literal, arguments, binding)
        return None if full is None else tuple([full[name] for name in names])

    def _facts(self, literals: Sequence[Literal]) -> list[tuple[Fluent, Terms]]:
        return [(self._fluent(literal), self._join.terms(literal.arguments)) for literal in literals]

    def _fluent(self, literal: Literal) -> Fluent:
        return self._grounder.facts.fluents[literal.predicate]


_Pairs = list[tuple[int, int]]


def _differing(one: Terms, other: Terms) -> _Pairs:
    return [(here, there) for here, there in zip(one.places, other.places, strict=True) if here != there]


def _variables(schema: Schema, literals: Sequence[Literal | None]) -> tuple[str, ...]:
    names = [name for literal in literals if literal is not None for name in literal.arguments]
    return tuple(dict.fromkeys(name for name in names if name in schema.query.variables))


def _located(facts: Sequence[tuple[Fluent, Terms]], row: Row) -> list[int]:
    return [fluent.fact(terms.of(row)) for fluent, terms in facts]


def _asked(operators: Iterable[Operator]) -> int:
    return union(operator.need | operator.forbid for operator in operators)


def _met(operators: list[Operator], state: int) -> list[Operator]:
    return [one for one in operators if state & one.need == one.need and not state & one.forbid]
