"""The texts of rules are read as the reference reads them, its ways included."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workshop import complaint

from agentgym_critic.envs.alfworld.native.symbols import (
    Constant,
    Each,
    Either,
    Evaluate,
    Listing,
    Name,
    Placeholder,
    Plus,
    Requirement,
    Rule,
    Text,
    read_query,
    read_symbols,
)
from agentgym_critic.errors import EnvError

TEXTS = [
    "",
    "  ",
    " (it is open)",
    "  a\n  b",
    "a\n#r#\n  b",
    "a#r#  b",
    "\ta\tb#r#\tc",
    "\n\nLines:\n  one\n",
    "a;b",
    "a}b",
    "[x]",
    'a "q" b',
    '"q"b',
    "// comment\nx",
    "x\n// no comment\n#r#",
    "x#r#// nor here",
    "a\\nb",
    "[ {o} ]",
    "[{o}] ,",
    "##",
    "#r s#",
    "{#r#}",
    "{o}\n  {p}\n  x",
    "[{#f(o)# | p(o:t)}] z",
    "{ o.name | p(o:t) & q(o:t) }",
    "{o.indefinite + ' ' + o.name (in {r}}",
    "#\t#",
    "#\tr#\t#s\t#",
    "{o | }x",
    "{o|\n\tp(o)}",
    "{\to\t|\tp(o)\t}\t",
    "[{o}\t]\n",
    "{#r# }",
    "{#r#\t}",
]

PARTS = ["a", " ", "\n", "\t", "#r#", "{o}", "[{o}]", "{o | p(o)}", '"', "//", ";", "}", "["]


def shape(symbol: Any) -> tuple[object, ...]:
    """A symbol of ours as a comparable value."""
    match symbol:
        case Text(text):
            return "text", text
        case Rule(name):
            return "rule", name
        case Listing(each):
            return "list", shape(each)
        case Each(expression, query):
            inside = ("rule", expression.name) if isinstance(expression, Rule) else ("expression",)
            return "each", inside, tuple(condition.predicate for condition in query)
    raise AssertionError(symbol)


def reference_shape(symbol: Any) -> tuple[object, ...]:
    kind = type(symbol).__name__
    if kind == "TerminalSymbol":
        return "text", symbol.symbol
    if kind == "NonterminalSymbol":
        return "rule", symbol.symbol
    if kind == "ListSymbol":
        return "list", reference_shape(symbol.symbol)
    inner = symbol.expression
    inside = ("rule", inner.symbol) if type(inner).__name__ == "NonterminalSymbol" else ("expression",)
    given = [part.partition("(")[0].strip() for part in symbol.given.split("&")] if symbol.given else []
    return "each", inside, tuple(given)


@pytest.fixture(scope="module")
def reference() -> Any:
    pytest.importorskip("textworld")
    pytest.importorskip("fast_downward")
    os.environ.setdefault("ALFWORLD_DATA", os.getcwd())
    from agentgym_critic.envs.alfworld.reference import ReferenceEngine

    ReferenceEngine().close()  # imports textworld as it wants to be imported
    from textworld.envs.pddl import textgen

    return lambda text: said(map(reference_shape, textgen._parse_and_convert(text, rule_name="symbols")))


def said(shapes: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Without texts that are empty: the reference has one wherever nothing is left."""
    return [shape for shape in shapes if shape != ("text", "")]


@pytest.mark.parametrize("text", TEXTS)
def test_read_as_the_reference_reads_it(text: str, reference: Any) -> None:
    assert said(map(shape, read_symbols(text))) == reference(text)


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(st.sampled_from(PARTS)))
def test_mixtures_are_read_as_the_reference_reads_them(parts: list[str], reference: Any) -> None:
    text = "".join(parts)
    assert said(map(shape, read_symbols(text))) == reference(text)


def test_expressions_are_read_without_running_anything() -> None:
    (each,) = read_symbols("{o.indefinite + ' ' + o.name or o}")
    spoken = Plus(Plus(Name("o", "indefinite"), Constant(" ")), Name("o", "name"))
    assert each == Each(Evaluate(Either(spoken, Name("o", None))), ())


def test_a_query_is_read_with_its_types() -> None:
    assert read_query("in(o:thing, r) & not_in(o:thing,r:place)") == (
        Requirement("in", (Placeholder("o", "thing"), Placeholder("r", "r"))),
        Requirement("not_in", (Placeholder("o", "thing"), Placeholder("r", "place"))),
    )


@pytest.mark.parametrize(
    "query", ["in(o:thing, r)", "!in(o)", "!not_in(o)", "not_not_in(o)", "in/on( )", "in(o')&at(o'' : thing-1)"]
)
def test_queries_are_read_as_the_reference_reads_them(query: str, reference: Any) -> None:
    from textworld.logic import Rule as Reference

    expected = [
        (one.name, tuple((placeholder.name, placeholder.type) for placeholder in one.parameters))
        for one in Reference.parse_conjunctive_query(query).preconditions
    ]
    assert list(read_query(query)) == expected


@pytest.mark.parametrize(
    "text", ["{f(o)}", "{o.a.b}", "{1}", "{o - p}", "{o and p}", "{(lambda: o)()}", "{o if}", "{o.weight}"]
)
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(
        EnvError,
        match="is not supported; known are texts in quotes, \\+, or, and the attributes name, id",
    ):
        read_symbols(text)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("in", "the condition 'in' cannot be read, in 'in'"),
        ("in(o) &", "the condition '' cannot be read"),
        ("in(o:a:b)", "the placeholders 'o:a:b' cannot be read"),
        ("in(o) | at(o)", r"the condition 'in\(o\) \| at\(o\)' cannot be read"),
    ],
)
def test_other_conditions_are_refused(query: str, message: str) -> None:
    with pytest.raises(EnvError, match=message):
        read_query(query)


@given(st.text("#{}[]|;\"'<> \n\tao.+:,()&/", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    said = complaint(read_symbols, text)
    assert not said or "is not supported" in said or "cannot be read" in said


def test_a_long_expression_is_refused_before_it_nests_deeply() -> None:
    for text in ("o or " * 200 + "o", "o + " * 10**5 + "o"):
        with pytest.raises(EnvError, match="is longer than 1000 characters"):
            read_symbols("{" + text + "}")
    (each,) = read_symbols("{" + "o or " * 199 + "o}")
    assert hash(each)


def test_a_megabyte_ends() -> None:
    tabs = "\t" * 10**6
    for text in ("#" + tabs, "{#" + tabs + "}", "{o" + tabs + "|" + tabs + "}"):
        assert complaint(read_symbols, text) or read_symbols(text) == (Text(""),)
    for text in ("#" * 10**6, "{" * 10**6, "[{o | p(" * 10**5, "\n//" * 300_000, "{" + "o+" * 10**5 + "o}"):
        said = complaint(read_symbols, text)
        assert not said or "is longer than 1000 characters" in said
