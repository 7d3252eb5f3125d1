"""A game's grammar: how its actions are said, and the rules that its texts are made of.

The file holds, in any order, ``grammar :: \"\"\"{rules as JSON}\"\"\";`` and
``action NAME { template :: "…"; feedback :: "…"; grammar :: \"\"\"{rules}\"\"\"; }``; a comment goes from
``#`` to the end of its line. A rule that comes again replaces the earlier one, as in the reference.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.symbols import (
    Each,
    Listing,
    Requirement,
    Symbol,
    read_query,
    read_symbols,
)
from agentgym_critic.errors import EnvError

__all__ = ["ActionText", "Alternative", "Grammar", "read_grammar"]

MOST_SYMBOLS = 100_000
"""Symbols that the texts of all actions lead to, through all rules; in real games they lead to 527."""

_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_BLOCK = re.compile(r'"""((?s:.*?))"""')
_STRING = re.compile(r'"([^"]*)"')
_NAME = re.compile(r"[\w/-]+")


class Alternative(NamedTuple):
    """One text of a rule."""

    condition: tuple[Requirement, ...]
    """When it is taken; empty for always."""
    rhs: tuple[Symbol, ...]


class ActionText(NamedTuple):
    """How an action is said, and what is told once it is done."""

    template: tuple[Symbol, ...]
    feedback: tuple[Symbol, ...]


class Grammar:
    """The texts of a game, read when they are first asked for.

    Args:
        actions: for each action in lower case its template and its feedback.
        rules: for each rule its alternatives, each a condition and a text.
        source: for the line numbers of errors.
        arities: how many objects each predicate takes; what is not in it may take any.
    """

    def __init__(
        self,
        actions: dict[str, tuple[str, str]],
        rules: dict[str, tuple[tuple[str, str], ...]],
        source: str,
        arities: Mapping[str, int],
    ) -> None:
        self._actions, self._rules, self._source, self._arities = actions, rules, source, arities
        self.symbols = Budget("the symbols that the texts of the actions lead to", MOST_SYMBOLS)
        self._read: dict[str, tuple[Alternative, ...]] = {}

    def action(self, name: str) -> ActionText:
        """The texts of an action.

        Raises:
            EnvError: the grammar does not say the action, or has a construct that is not supported.
        """
        try:
            template, feedback = self._actions[name]
        except KeyError:
            raise EnvError(f"the grammar has no action {name!r}, but the domain does") from None
        try:
            return ActionText(self._symbols(template), self._symbols(feedback))
        except EnvError as error:
            line = self._line(rf"action\s+{re.escape(name)}\b")
            raise EnvError(f"the grammar's action {name!r}, {line}: {error}") from error

    def rule(self, name: str) -> tuple[Alternative, ...]:
        """The alternatives of a rule.

        Raises:
            EnvError: there is no such rule, or it has a construct that is not supported.
        """
        read = self._read.get(name)
        if read is None:
            read = self._read[name] = self._alternatives(name)
        return read

    def _alternatives(self, name: str) -> tuple[Alternative, ...]:
        if not self._rules.get(name):
            raise EnvError(f"the grammar has no rule {name!r}")
        try:
            return tuple(
                Alternative(self._checked(read_query(when)), self._symbols(text)) for when, text in self._rules[name]
            )
        except EnvError as error:
            line = self._line(re.escape(json.dumps(name)))
            raise EnvError(f"the grammar's rule {name!r}, {line}: {error}") from error

    def _symbols(self, text: str) -> tuple[Symbol, ...]:
        symbols = read_symbols(text)
        for symbol in symbols:
            match symbol:
                case Each(_, query) | Listing(Each(_, query)):
                    self._checked(query)
        return symbols

    def _checked(self, query: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
        for predicate, placeholders in query:
            arity = self._arities.get(predicate, len(placeholders))
            if arity != len(placeholders):
                raise EnvError(f"the condition {predicate!r} has {len(placeholders)} objects where it takes {arity}")
        return query

    def _line(self, pattern: str) -> str:
        found = re.search(pattern, self._source, re.IGNORECASE)
        return f"line {self._source.count(chr(10), 0, found.start()) + 1}" if found else "line unknown"


def read_grammar(text: str, arities: Mapping[str, int] | None = None) -> Grammar:
    """Read a game's grammar.

    Args:
        text: of the grammar.
        arities: how many objects each predicate takes; None for any.

    Raises:
        EnvError: it is no grammar of this family; the message says what stands where.
    """
    return _Reader(text).grammar(arities or {})


class _Reader:
    """Reads one file from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0
        self._actions: dict[str, tuple[str, str]] = {}
        self._rules: dict[str, tuple[tuple[str, str], ...]] = {}

    def grammar(self, arities: Mapping[str, int]) -> Grammar:
        while (word := self._name_or_end()) is not None:
            if word == "action":
                self._action()
            elif word == "grammar":
                self._rules_of(self._field(_BLOCK), comments=False)
            else:
                self._refuse(f"{word[:80]!r}, where 'action' or 'grammar' was expected")
        return Grammar(self._actions, self._rules, self._text, arities)

    def _action(self) -> None:
        name = self._take(_NAME, "the name of an action")[0].lower()
        self._expect("{")
        fields: dict[str, str] = {}
        while not self._is_next("}"):
            field = self._take(_NAME, "a field or '}'")[0]
            if field not in ("template", "feedback", "grammar", "pddl") or field in fields:
                self._refuse(f"the field {field[:80]!r}; an action has template, feedback, grammar and pddl, each once")
            fields[field] = self._field(_BLOCK if field in ("grammar", "pddl") else _STRING)
        if "template" not in fields or "feedback" not in fields:
            self._refuse(f"the end of the action {name!r}, which lacks a template or a feedback")
        self._actions[name] = fields["template"], fields["feedback"]
        if "grammar" in fields:
            self._rules_of(fields["grammar"], comments=True)

    def _field(self, value: re.Pattern[str]) -> str:
        self._expect("::")
        read = self._take(value, "a text in quotes")[1]
        self._expect(";")
        return read

    def _rules_of(self, block: str, *, comments: bool) -> None:
        try:
            self._rules.update(_rules(block, comments))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as cause:
            self._refuse(f"a grammar that is not JSON of the form {{rule: [{{condition, rhs}}]}} ({cause})")

    def _name_or_end(self) -> str | None:
        self._skip()
        return None if self._place == len(self._text) else self._take(_NAME, "a word")[0]

    def _is_next(self, mark: str) -> bool:
        self._skip()
        if not self._text.startswith(mark, self._place):
            return False
        self._place += len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._is_next(mark):
            self._refuse(f"{self._text[self._place : self._place + 20]!r}, where {mark!r} was expected")

    def _take(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        self._skip()
        found = pattern.match(self._text, self._place)
        if found is None:
            self._refuse(f"{self._text[self._place : self._place + 20]!r}, where {what} was expected")
        self._place = found.end()
        return found

    def _skip(self) -> None:
        blank = _BLANK.match(self._text, self._place)
        self._place = blank.end() if blank else self._place

    def _refuse(self, seen: str) -> NoReturn:
        line = self._text.count("\n", 0, self._place) + 1
        raise EnvError(f"the grammar, line {line}: there stands {seen}")


@lru_cache(maxsize=256)
def _rules(block: str, comments: bool) -> dict[str, tuple[tuple[str, str], ...]]:
    plain = textwrap.dedent(block)
    if comments:
        plain = "\n".join(line for line in plain.split("\n") if not line.lstrip().startswith("#"))
    return {name: tuple(map(_alternative, rules)) for name, rules in json.loads(plain).items()}


def _alternative(rule: Any) -> tuple[str, str]:
    condition, text = rule.get("condition", ""), rule["rhs"]
    if not isinstance(condition, str) or not isinstance(text, str):
        raise TypeError(f"condition and rhs are texts, got {rule!r:.80}")
    return condition, text
