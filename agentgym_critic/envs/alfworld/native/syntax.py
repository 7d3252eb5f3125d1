"""The abstract syntax of PDDL, as far as games of this family use it. All names are lower case."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = [
    "Action",
    "And",
    "Atom",
    "ConditionalEffect",
    "Domain",
    "Equal",
    "Exists",
    "Formula",
    "Not",
    "Or",
    "Parameter",
    "Problem",
]


class Parameter(NamedTuple):
    """A variable with its type."""

    name: str
    type: str


class Atom(NamedTuple):
    """A predicate with its arguments; those that begin with ``?`` are variables."""

    predicate: str
    arguments: tuple[str, ...]


class Not(NamedTuple):
    """A negation."""

    formula: Formula


class And(NamedTuple):
    """A conjunction; empty it is true."""

    parts: tuple[Formula, ...]


class Or(NamedTuple):
    """A disjunction; empty it is false."""

    parts: tuple[Formula, ...]


class Exists(NamedTuple):
    """An existential quantification."""

    parameters: tuple[Parameter, ...]
    formula: Formula


class Equal(NamedTuple):
    """Two terms for the same object."""

    left: str
    right: str


Formula: TypeAlias = Atom | Not | And | Or | Exists | Equal


class ConditionalEffect(NamedTuple):
    """A fact that becomes true or false where a condition holds."""

    atom: Atom
    positive: bool
    condition: Formula
    parameters: tuple[Parameter, ...]


class Action(NamedTuple):
    """An action of a domain."""

    name: str
    parameters: tuple[Parameter, ...]
    precondition: Formula
    effects: tuple[ConditionalEffect, ...]


class Domain(NamedTuple):
    """What can be said and done in the games of a kind."""

    name: str
    types: dict[str, str]
    constants: dict[str, str]
    predicates: dict[str, tuple[Parameter, ...]]
    actions: dict[str, Action]


class Problem(NamedTuple):
    """One game: its objects, the facts at the start, the goal."""

    name: str
    domain: str
    objects: dict[str, str]
    init: tuple[Atom, ...]
    goal: Formula
