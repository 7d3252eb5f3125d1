"""What a text of the grammar depends on, found without deriving it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.grammar import Grammar
from agentgym_critic.envs.alfworld.native.symbols import (
    Each,
    Either,
    Evaluate,
    Expression,
    Listing,
    Name,
    Plus,
    Requirement,
    Rule,
    Symbol,
)

__all__ = ["Reads", "reads"]


class Reads(NamedTuple):
    """What a text depends on."""

    conditions: set[Requirement]
    """What it looks up."""
    variables: set[str]
    """What its expressions name."""


def reads(grammar: Grammar, symbols: Sequence[Symbol]) -> Reads:
    """What the text of a sequence of symbols depends on, through all rules it uses.

    Raises:
        EnvError: a rule is missing or has a construct that is not supported, or there are too many symbols.
    """
    found, seen, waiting = Reads(set(), set()), set(), list(symbols)
    while waiting:
        grammar.symbols.spend()
        match waiting.pop():
            case Rule(name) if name not in seen:
                seen.add(name)
                for alternative in grammar.rule(name):
                    found.conditions.update(alternative.condition)
                    waiting += alternative.rhs
            case Listing(each):
                waiting.append(each)
            case Each(expression, query):
                found.conditions.update(query)
                waiting.append(expression)
            case Evaluate(expression):
                found.variables.update(_variables(expression))
    return found


def _variables(expression: Expression) -> set[str]:
    match expression:
        case Name(variable, _):
            return {variable}
        case Plus(left, right) | Either(left, right):
            return _variables(left) | _variables(right)
    return set()
