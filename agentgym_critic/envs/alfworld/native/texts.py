"""The texts of a game: its grammar's rules, derived in a state.

Each rule is compiled into functions once. As in the reference, a condition binds each of its
placeholders to another object than those already bound, tries facts in sorted order, and the
first alternative whose condition can be met is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.facts import Facts
from agentgym_critic.envs.alfworld.native.grammar import Grammar
from agentgym_critic.envs.alfworld.native.symbols import (
    Constant,
    Each,
    Either,
    Evaluate,
    Expression,
    Listing,
    Name,
    Placeholder,
    Plus,
    Requirement,
    Rule,
    Symbol,
    Text,
)
from agentgym_critic.envs.alfworld.native.vocabulary import Vocabulary
from agentgym_critic.errors import EnvError

__all__ = ["Context", "Texts"]

DEEPEST = 50
"""Rules within rules; a grammar that goes deeper refers to itself without end."""

MOST_STEPS = 500_000
"""Steps to derive one text: its rules, the facts they look at, the characters they make; real ones take up to 3,871."""


class Context(NamedTuple):
    """What the placeholders of a text stand for."""

    mapping: dict[Placeholder, int]
    """For conditions; ``~thing`` for one of which no fact is found."""
    variables: dict[str, int]
    """For expressions, by name alone; of two types the later."""
    steps: Budget
    """Of the whole text."""
    depth: int = 0

    @classmethod
    def of(cls, mapping: dict[Placeholder, int], vocabulary: Vocabulary) -> Context:
        """The context outside all rules.

        To the reference an object of a type below the placeholder's is not the one that facts
        speak of: its name can be told, but no fact is found of it.
        """
        variables = {placeholder.name: thing for placeholder, thing in mapping.items()}
        known = {one: thing if vocabulary.types[thing] == one.type else ~thing for one, thing in mapping.items()}
        return cls(known, variables, Budget("the steps to derive a text of the grammar", MOST_STEPS))

    def extended(self, mapping: dict[Placeholder, int]) -> Context:
        """The context inside a query that was met by `mapping`."""
        new = {placeholder.name: thing for placeholder, thing in mapping.items() if placeholder not in self.mapping}
        return Context(mapping, {**self.variables, **new}, self.steps, self.depth)

    def deeper(self, rule: str) -> Context:
        """The context inside a rule.

        Raises:
            EnvError: too many rules, or too many within rules.
        """
        self.steps.spend()
        if self.depth == DEEPEST:
            raise EnvError(f"the rule {rule!r} of the grammar refers to itself without end")
        return self._replace(depth=self.depth + 1)


Derive = Callable[[int, Context], str]
"""From a state and a context to a text."""


class Texts:
    """Derives the texts of one game."""

    def __init__(self, grammar: Grammar, facts: Facts, vocabulary: Vocabulary) -> None:
        self._grammar, self.facts, self.vocabulary = grammar, facts, vocabulary
        self._rules: dict[str, Derive] = {}
        self._symbols: dict[tuple[Symbol, ...], Derive] = {}
        self.commands: dict[str, str] = {}
        """What players say, and the text that it was made of."""

    def derive(self, symbols: tuple[Symbol, ...], state: int, context: Context) -> str:
        """The text of a sequence of symbols.

        Raises:
            EnvError: a rule is missing, has no alternative for this state, or names an unknown variable, or
            the text takes too many steps.
        """
        compiled = self._symbols.get(symbols)
        if compiled is None:
            compiled = self._symbols[symbols] = self._sequence(symbols)
        return compiled(state, context)

    def _sequence(self, symbols: Sequence[Symbol]) -> Derive:
        parts = [self._symbol(symbol) for symbol in symbols]
        if len(parts) == 1:
            return parts[0]
        return lambda state, context: _joined("", [part(state, context) for part in parts], context.steps)

    def _symbol(self, symbol: Symbol) -> Derive:
        match symbol:
            case Text(text):
                return lambda state, context: text
            case Rule(name):
                return lambda state, context: self._rule(name)(state, context.deeper(name))
            case Evaluate(expression):
                return self._expression(expression)
            case Each():
                each = self._each(symbol)
                return lambda state, context: "".join(each(state, context))
            case Listing(inner):
                return self._listing(self._each(inner))
        raise AssertionError(symbol)

    def _rule(self, name: str) -> Derive:
        found = self._rules.get(name)
        if found is None:
            found = self._rules[name] = self._alternatives(name)
        return found

    def _alternatives(self, name: str) -> Derive:
        compiled = [(one.condition, self._sequence(one.rhs)) for one in self._grammar.rule(name)]

        def derive(state: int, context: Context) -> str:
            for condition, text in compiled:
                if not condition or any(True for _ in self._met(condition, state, context.mapping, context.steps)):
                    return text(state, context)
            raise EnvError(f"no alternative of the grammar's rule {name!r} fits the state")

        return derive

    def _each(self, symbol: Each) -> Callable[[int, Context], list[str]]:
        text, query = self._symbol(symbol.expression), symbol.query
        if not query:
            return lambda state, context: [text(state, context)]

        def derive(state: int, context: Context) -> list[str]:
            texts = []
            for mapping in self._met(query, state, context.mapping, context.steps):
                texts.append(text(state, context.extended(mapping)))
                context.steps.spend(len(texts[-1]))
            return texts

        return derive

    def _listing(self, each: Callable[[int, Context], list[str]]) -> Derive:
        def derive(state: int, context: Context) -> str:
            texts = each(state, context)
            if not texts:
                return self._rule("list_empty")(state, context)
            if len(texts) == 1:
                return texts[0]
            separator = self._rule("list_separator")(state, context)
            return (
                _joined(separator, texts[:-1], context.steps)
                + self._rule("list_last_separator")(state, context)
                + texts[-1]
            )

        return derive

    def _expression(self, expression: Expression) -> Derive:
        match expression:
            case Constant(text):
                return lambda state, context: text
            case Plus(left, right):
                first, second = self._expression(left), self._expression(right)
                return lambda state, context: first(state, context) + second(state, context)
            case Either(left, right):
                first, second = self._expression(left), self._expression(right)
                return lambda state, context: first(state, context) or second(state, context)
            case Name(variable, attribute):
                tell = self._attribute(attribute)
                return lambda state, context: tell(_known(variable, context))
        raise AssertionError(expression)

    def _attribute(self, attribute: str | None) -> Callable[[int], str]:
        match attribute:
            case "id":
                return self.vocabulary.ids.__getitem__
            case "type":
                return self.vocabulary.types.__getitem__
            case "definite":
                return lambda thing: "the"
            case "indefinite":
                return lambda thing: "a"
        return self.vocabulary.name

    def _met(
        self, query: Sequence[Requirement], state: int, mapping: dict[Placeholder, int], steps: Budget
    ) -> Iterator[dict[Placeholder, int]]:
        if not query:
            yield mapping
            return
        predicate, placeholders = query[0]
        pattern = tuple([mapping.get(placeholder) for placeholder in placeholders])
        found = self.facts.fitting(state, predicate, pattern)
        steps.spend(1 + len(found) * (1 + len(mapping)))
        for things in found:
            extended = self._extended(mapping, placeholders, things)
            if extended is not None:
                yield from self._met(query[1:], state, extended, steps)

    def _extended(
        self, mapping: dict[Placeholder, int], placeholders: Sequence[Placeholder], things: Sequence[int]
    ) -> dict[Placeholder, int] | None:
        extended = dict(mapping)
        for placeholder, thing in zip(placeholders, things, strict=True):
            if placeholder in extended:
                if extended[placeholder] != thing:
                    return None
            elif thing in extended.values() or not self.vocabulary.is_a(thing, placeholder.type):
                return None
            else:
                extended[placeholder] = thing
        return extended


def _joined(separator: str, texts: Sequence[str], steps: Budget) -> str:
    steps.spend(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _known(variable: str, context: Context) -> int:
    try:
        return context.variables[variable]
    except KeyError:
        raise EnvError(f"the grammar names {variable!r} where only {sorted(context.variables)} are known") from None
