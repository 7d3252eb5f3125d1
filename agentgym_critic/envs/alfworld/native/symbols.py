r"""The texts of a grammar's rules: plain text with rules, expressions and lists in it.

    You see [{o.indefinite + ' ' + o.name | in(o:thing, r:place)}]. #rule#

Read as the reference reads them, which has its ways: what cannot be read ends the text without a
word; blanks and newlines at the very start are dropped, and tabs wherever a part begins; a line
that begins a part with ``//`` is a comment. Texts are read once, however many games share them.

>>> read_symbols(" You see {o.name}; and more")
(Text(text='You see '), Each(expression=Evaluate(expression=Name(variable='o', attribute='name')), query=()))
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.errors import EnvError

__all__ = [
    "Constant",
    "Each",
    "Either",
    "Evaluate",
    "Expression",
    "Listing",
    "Name",
    "Placeholder",
    "Plus",
    "Requirement",
    "Rule",
    "Symbol",
    "Text",
    "read_query",
    "read_symbols",
]


ATTRIBUTES = ("name", "id", "type", "definite", "indefinite")
"""What expressions may ask of an object."""


class Name(NamedTuple):
    """A variable's attribute; without one, its name."""

    variable: str
    attribute: str | None


class Constant(NamedTuple):
    """A text in quotes."""

    text: str


class Plus(NamedTuple):
    """Two texts after each other."""

    left: Expression
    right: Expression


class Either(NamedTuple):
    """The first text, or if it is empty the second."""

    left: Expression
    right: Expression


Expression: TypeAlias = Name | Constant | Plus | Either


class Placeholder(NamedTuple):
    """A variable of a condition, with its type."""

    name: str
    type: str


class Requirement(NamedTuple):
    """A predicate that must hold of some objects."""

    predicate: str
    placeholders: tuple[Placeholder, ...]


class Text(NamedTuple):
    """Plain text."""

    text: str


class Rule(NamedTuple):
    """The text of another rule."""

    name: str


class Evaluate(NamedTuple):
    """The value of an expression."""

    expression: Expression


class Each(NamedTuple):
    """A text for every way in which a query can be met; once, if there is no query."""

    expression: Rule | Evaluate
    query: tuple[Requirement, ...]


class Listing(NamedTuple):
    """The same, as a list with separators."""

    each: Each


Symbol: TypeAlias = Text | Rule | Evaluate | Each | Listing

LONGEST = 1000
"""Characters of an expression; a longer one could be nested too deeply for whoever walks through it."""

MOST_CONDITIONS = 200
"""Conditions of a query; real games have at most four. Each is a call within the one before."""

_SKIPPED = re.compile(r"(?:(?m:^)(?://[^\n]*\n?|\s+)|\t+)+")
# Possessive where a shorter match is no match for the reference either: no text takes more than one pass.
_TAG = re.compile(r"#\t*+([\w()/!<>\-\s,.]++)#")
_STATEMENT = re.compile(r"[^|\[\]{}\n<>]+")
_GIVEN = re.compile(r"\s*+\|\s*+([^;|{}\n\[\]#]+)")
_LITERAL = re.compile(r'[^;|"<>\[\]#{}]*')
_QUOTED = re.compile(r'"([^;|"<>\[\]#{}]*)"')
_PREDICATE = re.compile(r"\s*(!?[\w/]+)\s*\(([^()]*)\)\s*")
_NEGATED = re.compile(r"^!(not_)?")
_PLACEHOLDER = re.compile(r"\s*([\w']+)\s*(?::\s*([\w/-]+)\s*)?")


@lru_cache(maxsize=4096)
def read_symbols(text: str) -> tuple[Symbol, ...]:
    """The symbols of a rule's text.

    Raises:
        EnvError: an expression or condition is not supported.
    """
    found: list[Symbol] = []
    place = 0
    while True:
        read = _symbol(text, _skipped(text, place))
        if read is None:
            break
        symbol, place = read
        found.append(symbol)
    return tuple(found) or (Text(""),)


@lru_cache(maxsize=4096)
def read_query(text: str) -> tuple[Requirement, ...]:
    """The conditions of a query; empty for an empty text.

    Raises:
        EnvError: it cannot be read.
    """
    parts = text.split("&") if text else []
    check_size("the conditions of a query", len(parts), MOST_CONDITIONS)
    return tuple(_condition(part, text) for part in parts)


def _symbol(text: str, place: int) -> tuple[Symbol, int] | None:
    match text[place : place + 1]:
        case "[":
            listed = _each(text, _skipped(text, place + 1))
            if listed is None:
                return None
            end = _skipped(text, listed[1])
            return (Listing(listed[0]), end + 1) if text.startswith("]", end) else None
        case "{":
            return _each(text, place)
        case "#":
            tag = _TAG.match(text, place)
            return (Rule(tag[1]), tag.end()) if tag else None
        case '"':
            quoted = _QUOTED.match(text, place)
            return (Text(quoted[1]), quoted.end()) if quoted else None
    literal = _LITERAL.match(text, place)
    assert literal is not None
    return (Text(literal[0]), literal.end()) if literal[0] else None


def _each(text: str, place: int) -> tuple[Each, int] | None:
    if not text.startswith("{", place):
        return None
    start = _skipped(text, place + 1)
    read = _TAG.match(text, start) or _STATEMENT.match(text, start)
    if read is None:
        return None
    given = _GIVEN.match(text, read.end())
    end = _skipped(text, given.end() if given else read.end())
    if not text.startswith("}", end):
        return None
    expression = Rule(read[1]) if read.re is _TAG else Evaluate(_expression(read[0]))
    return Each(expression, read_query(given[1].rstrip()) if given else ()), end + 1


def _skipped(text: str, place: int) -> int:
    skipped = _SKIPPED.match(text, place)
    return skipped.end() if skipped else place


def _condition(part: str, query: str) -> Requirement:
    read = _PREDICATE.fullmatch(part)
    if read is None:
        raise EnvError(f"the condition {part.strip()[:80]!r} cannot be read, in {query[:200]!r}")
    inside = read[2].split(",") if read[2].strip() else []
    placeholders = [_PLACEHOLDER.fullmatch(one) for one in inside]
    if None in placeholders:
        raise EnvError(f"the placeholders {read[2][:80]!r} cannot be read, in {query[:200]!r}")
    found = [Placeholder(one[1], one[2] or one[1].rstrip("'")) for one in placeholders if one]
    return Requirement(_NEGATED.sub(lambda bang: "" if bang[1] else "not_", read[1]), tuple(found))


def _expression(text: str) -> Expression:
    if len(text) > LONGEST:
        raise EnvError(f"the expression {text.strip()[:80]!r} is longer than {LONGEST} characters")
    try:
        return _converted(ast.parse(text.strip(" \t"), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        raise EnvError(
            f"the expression {text.strip()[:80]!r} is not supported; known are texts in quotes, +, or, "
            f"and the attributes {', '.join(ATTRIBUTES)}"
        ) from cause


def _converted(node: ast.expr) -> Expression:
    match node:
        case ast.Name(name):
            return Name(name, None)
        case ast.Attribute(ast.Name(name), attribute) if attribute in ATTRIBUTES:
            return Name(name, attribute)
        case ast.Constant(str(text)):
            return Constant(text)
        case ast.BinOp(left, ast.Add(), right):
            return Plus(_converted(left), _converted(right))
        case ast.BoolOp(ast.Or(), [*first, last]):
            chain = _converted(last)
            for value in reversed(first):
                chain = Either(_converted(value), chain)
            return chain
    raise ValueError(type(node).__name__)
