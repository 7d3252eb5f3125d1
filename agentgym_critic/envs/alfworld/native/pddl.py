"""PDDL domains and problems, read into their syntax.

Reads what games of this family use: types, constants, predicates, conditions with and, or, not,
exists and equality, effects with when and forall. Costs are read and dropped. Anything else is
refused by name. As for the reference, a variable may be of an undeclared type: nothing is of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, cast

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.envs.alfworld.native.lisp import Nested, read_lisp, refuse
from agentgym_critic.envs.alfworld.native.syntax import (
    Action,
    And,
    Atom,
    ConditionalEffect,
    Domain,
    Equal,
    Exists,
    Formula,
    Not,
    Or,
    Parameter,
    Problem,
)
from agentgym_critic.errors import EnvError

__all__ = ["read_domain", "read_problem"]

TRUE = And(())

MOST_VARIABLES = 500
"""Variables at any place of an action or goal, and arguments of a predicate; real games have at most six."""

_DOMAIN_PARTS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
_PROBLEM_PARTS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")


def read_domain(text: str) -> Domain:
    """Read a domain.

    Raises:
        EnvError: it is no domain of this family; the message names what is wrong, and its line.
    """
    return _Reader(text, "PDDL domain").domain()


def read_problem(text: str, domain: Domain) -> Problem:
    """Read a problem of a domain.

    Raises:
        EnvError: it is no problem of this domain; the message names what is wrong, and its line.
    """
    return _Reader(text, "PDDL problem").problem(domain)


class _Reader:
    """Reads one text; knows how to complain about it."""

    def __init__(self, text: str, what: str) -> None:
        self._text, self._what = text, what
        self._arity: dict[str, int] = {}
        self._known: set[str] | None = None
        """The objects of the game; None for a domain, which may name objects of games."""

    def domain(self) -> Domain:
        name, parts = self._definition("domain", _DOMAIN_PARTS)
        types = {one.name: one.type for one in self._typed(self._one(parts, ":types"))}
        constants = self._objects(self._one(parts, ":constants"), {})
        declared = [self._list(entry) for entry in self._one(parts, ":predicates")]
        predicates = {self._word(entry[0] if entry else entry): self._typed(entry[1:]) for entry in declared}
        self._arity = {predicate: len(parameters) for predicate, parameters in predicates.items()}
        check_size("the arguments of a predicate", max(self._arity.values(), default=0), MOST_VARIABLES)
        actions = {}
        for part in parts:
            if part[0] == ":action":
                action = self._action(part)
                if action.name in actions:
                    self._refuse(action.name, "is defined twice")
                actions[action.name] = action
        self._check_types(constants, types)
        return Domain(name, types, constants, predicates, actions)

    def problem(self, domain: Domain) -> Problem:
        name, parts = self._definition("problem", _PROBLEM_PARTS)
        of = " ".join(map(self._word, self._one(parts, ":domain")))
        if of != domain.name:
            self._refuse(of, f"is not the game's domain, which is {domain.name!r}")
        objects = self._objects(self._one(parts, ":objects"), domain.constants)
        self._check_types(objects, domain.types)
        self._known = objects.keys() | domain.constants.keys()
        self._arity = {predicate: len(parameters) for predicate, parameters in domain.predicates.items()}
        init = self._facts(self._one(parts, ":init"))
        goal = self._one(parts, ":goal")
        if len(goal) != 1:
            self._refuse(":goal", f"has {len(goal)} conditions where one was expected")
        return Problem(name, of, objects, init, self._formula(goal[0], frozenset()))

    # ------------------------------------------------------------------ Parts

    def _definition(self, kind: str, known: Sequence[str]) -> tuple[str, list[list[Nested]]]:
        read = read_lisp(self._text, self._what)
        if len(read) < 2 or read[0] != "define" or not isinstance(read[1], list) or read[1][:1] != [kind]:
            raise EnvError(f"the {self._what} does not begin with (define ({kind} …", self._what)
        if len(read[1]) != 2:
            raise EnvError(f"the {self._what} has no name", self._what)
        parts = [self._list(part) for part in read[2:]]
        for part in parts:
            if not part or part[0] not in known:
                self._refuse(_first(part), f"is not supported here; known are {', '.join(known)}")
        return self._word(read[1][1]), parts

    def _one(self, parts: Iterable[list[Nested]], name: str) -> list[Nested]:
        found = [part[1:] for part in parts if part[0] == name]
        if len(found) > 1:
            self._refuse(name, "stands there twice")
        return found[0] if found else []

    def _typed(self, entries: Sequence[Nested]) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        names: list[str] = []
        words = iter(entries)
        for entry in words:
            word = self._word(entry)
            if word == "-":
                kind = self._word(next(words, ""))
                found += [Parameter(name, kind) for name in names]
                names = []
            else:
                names.append(word)
        return (*found, *[Parameter(name, "object") for name in names])

    def _objects(self, entries: Sequence[Nested], others: Mapping[str, str]) -> dict[str, str]:
        objects: dict[str, str] = {}
        for name, kind in self._typed(entries):
            if name in objects or name in others:
                self._refuse(name, "is declared twice")
            if name.startswith("?"):
                self._refuse(name, "is a variable where an object was expected")
            objects[name] = kind
        return objects

    def _variables(self, read: Nested, bound: frozenset[str] = frozenset()) -> tuple[Parameter, ...]:
        found = self._typed(self._list(read))
        seen = set(bound)
        for name, _ in found:
            if name in seen:
                self._refuse(name, "is declared twice")
            if not name.startswith("?"):
                self._refuse(name, "stands where a variable was expected")
            seen.add(name)
        check_size("the variables at one place", len(seen), MOST_VARIABLES)
        return found

    def _check_types(self, objects: dict[str, str], types: dict[str, str]) -> None:
        for name, kind in objects.items():
            if kind != "object" and kind not in types:
                self._refuse(kind, f"is no type of the domain, but {name!r} is said to be of it")

    def _facts(self, entries: Sequence[Nested]) -> tuple[Atom, ...]:
        found = []
        for entry in entries:
            if not self._is_cost(entry):
                found.append(self._fact(self._list(entry)))
        return tuple(found)

    def _fact(self, entry: list[Nested]) -> Atom:
        # Most of a problem is this; the quick way through it is half of the time of a first reset.
        predicate, arguments = entry[0] if entry else "", tuple(entry[1:])
        if isinstance(predicate, str) and self._arity.get(predicate) == len(arguments):
            words = cast("tuple[str, ...]", arguments)
            if not any(isinstance(word, list) for word in arguments) and (self._known or set()).issuperset(words):
                return Atom(predicate, words)
        return self._atom(entry, frozenset())

    def _is_cost(self, entry: Nested) -> bool:
        return isinstance(entry, list) and len(entry) == 3 and entry[0] == "=" and isinstance(entry[1], list)

    def _action(self, part: list[Nested]) -> Action:
        name = self._word(part[1] if len(part) > 1 else "")
        fields = dict(zip(map(self._word, part[2::2]), part[3::2], strict=False))
        for field in fields:
            if field not in (":parameters", ":precondition", ":effect"):
                self._refuse(field, f"is not supported in the action {name!r}")
        if len(part) != 2 + 2 * len(fields) or ":effect" not in fields:
            self._refuse(name, "is an action without an effect, or with a field that has no value or two")
        parameters = self._variables(fields.get(":parameters", []))
        bound = frozenset(parameter.name for parameter in parameters)
        precondition = self._formula(fields.get(":precondition", []), bound)
        effects = tuple(self._effects(fields[":effect"], TRUE, (), bound))
        return Action(name, parameters, precondition, effects)

    # ------------------------------------------------------------------ Conditions and effects

    def _formula(self, read: Nested, bound: frozenset[str]) -> Formula:
        entry = self._list(read)
        match entry:
            case []:
                return TRUE
            case ["and", *parts]:
                return And(tuple(self._formula(part, bound) for part in parts))
            case ["or", *parts]:
                return Or(tuple(self._formula(part, bound) for part in parts))
            case ["not", part]:
                return Not(self._formula(part, bound))
            case ["exists", variables, part]:
                parameters = self._variables(variables)
                both = bound | {one.name for one in parameters}
                check_size("the variables at one place", len(both), MOST_VARIABLES)
                return Exists(parameters, self._formula(part, both))
            case ["=", left, right]:
                return Equal(self._term(left, bound), self._term(right, bound))
        return self._atom(entry, bound)

    def _effects(
        self, read: Nested, condition: Formula, parameters: tuple[Parameter, ...], bound: frozenset[str]
    ) -> Iterable[ConditionalEffect]:
        entry = self._list(read)
        match entry:
            case [] | ["increase", _, _]:
                return
            case ["and", *parts]:
                for part in parts:
                    yield from self._effects(part, condition, parameters, bound)
            case ["forall", variables, part]:
                more = self._variables(variables, bound)
                yield from self._effects(part, condition, parameters + more, bound | {one.name for one in more})
            case ["when", when, part]:
                both = And((condition, self._formula(when, bound)))
                yield from self._effects(part, both, parameters, bound)
            case ["not", part]:
                yield ConditionalEffect(self._atom(self._list(part), bound), False, condition, parameters)
            case _:
                yield ConditionalEffect(self._atom(entry, bound), True, condition, parameters)

    def _atom(self, entry: list[Nested], bound: frozenset[str]) -> Atom:
        predicate = self._word(entry[0] if entry else "")
        if predicate not in self._arity:
            known = ", ".join(sorted(self._arity)[:12])
            self._refuse(predicate, f"is no predicate of the domain and no supported construct; known are {known}")
        if len(entry) - 1 != self._arity[predicate]:
            self._refuse(predicate, f"has {len(entry) - 1} arguments where it takes {self._arity[predicate]}")
        return Atom(predicate, tuple(self._term(argument, bound) for argument in entry[1:]))

    def _term(self, read: Nested, bound: frozenset[str]) -> str:
        word = self._word(read)
        if word.startswith("?") and word not in bound:
            self._refuse(word, "is a variable that was not declared")
        if self._known is not None and word not in bound and word not in self._known:
            self._refuse(word, "is no object of the game")
        return word

    # ------------------------------------------------------------------ Words and lists

    def _word(self, read: Nested) -> str:
        if not isinstance(read, str) or not read:
            self._refuse(_first(read), "stands where a word was expected, in brackets" if read else "lacks a word")
        return read

    def _list(self, read: Nested) -> list[Nested]:
        if isinstance(read, str):
            self._refuse(read, "stands where brackets were expected")
        return read

    def _refuse(self, word: str, wrong: str) -> NoReturn:
        refuse(self._what, self._text, word, wrong)


def _first(read: Nested) -> str:
    while isinstance(read, list):
        if not read:
            return "()"
        read = read[0]
    return read
