"""Domains and problems: what is read, and that what is not of this family is named with its line."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workshop import complaint

from agentgym_critic.envs.alfworld.native.pddl import read_domain, read_problem
from agentgym_critic.envs.alfworld.native.syntax import (
    And,
    Atom,
    ConditionalEffect,
    Equal,
    Exists,
    Not,
    Or,
    Parameter,
)
from agentgym_critic.errors import EnvError

DOMAIN = """
(define (domain shed)
 (:requirements :adl :action-costs)
 (:types place thing tool - thing)
 (:constants bench - place)
 (:predicates (at ?p - place) (in ?t - thing ?p - place) (wet ?t - thing))
 (:functions (total-cost) - number)
 (:action soak
  :parameters (?t - thing ?p - place)
  :precondition (and (at ?p) (or (in ?t ?p) (not (wet ?t))) (exists (?q - place) (and (in ?t ?q) (not (= ?q bench)))))
  :effect (and (wet ?t) (not (at ?p)) (increase (total-cost) 5)
               (when (wet ?t) (in ?t bench)) (forall (?o - tool) (wet ?o)))))
"""

PROBLEM = """
(define (problem one)
 (:domain shed)
 (:objects yard - place saw rake - tool)
 (:init (at yard)
        (= (total-cost) 0)
        (in saw yard))
 (:goal (and (wet saw)))
 (:metric minimize (total-cost)))
"""


def test_a_domain_is_read_whole() -> None:
    domain = read_domain(DOMAIN)
    assert (domain.name, domain.constants) == ("shed", {"bench": "place"})
    assert domain.types == {"place": "thing", "thing": "thing", "tool": "thing"}
    assert domain.predicates["in"] == (Parameter("?t", "thing"), Parameter("?p", "place"))
    action = domain.actions["soak"]
    assert action.precondition == And(
        (
            Atom("at", ("?p",)),
            Or((Atom("in", ("?t", "?p")), Not(Atom("wet", ("?t",))))),
            Exists((Parameter("?q", "place"),), And((Atom("in", ("?t", "?q")), Not(Equal("?q", "bench"))))),
        )
    )
    true = And(())
    assert action.effects == (
        ConditionalEffect(Atom("wet", ("?t",)), True, true, ()),
        ConditionalEffect(Atom("at", ("?p",)), False, true, ()),
        ConditionalEffect(Atom("in", ("?t", "bench")), True, And((true, Atom("wet", ("?t",)))), ()),
        ConditionalEffect(Atom("wet", ("?o",)), True, true, (Parameter("?o", "tool"),)),
    )


def test_a_problem_is_read_whole() -> None:
    problem = read_problem(PROBLEM, read_domain(DOMAIN))
    assert problem.objects == {"yard": "place", "saw": "tool", "rake": "tool"}
    assert problem.init == (Atom("at", ("yard",)), Atom("in", ("saw", "yard")))
    assert problem.goal == And((Atom("wet", ("saw",)),))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(define (domain shed)", "(defin (domain shed)", r"PDDL domain does not begin with \(define \(domain …"),
        ("(:constants", "(:axioms", r"line 5: ':axioms' is not supported here; known are :requirements, :types, "),
        ("(wet ?t) (not (at", "(damp ?t) (not (at", "line 11: 'damp' is no predicate of the domain and no supported "),
        ("(at ?p) (or", "(at ?p ?p) (or", "'at' has 2 arguments where it takes 1"),
        (
            "(at ?p) (or",
            "(forall (?x - thing) (wet ?x)) (or",
            "'forall' is no predicate of the domain and no supported",
        ),
        ("(at ?p) (or", "(at ?z) (or", r"line 10: '\?z' is a variable that was not declared"),
        (":effect", ":effekt", "line 11: ':effekt' is not supported in the action 'soak'"),
        (
            "bench - place)",
            "bench - plaza)",
            "line 5: 'plaza' is no type of the domain, but 'bench' is said to be of it",
        ),
        ("(increase (total-cost) 5)", "(increase (total-cost))", "'increase' is no predicate of the domain"),
        ("?t - thing ?p - place)\n  :pre", "?t - thing ?t - place)\n  :pre", r"'\?t' is declared twice"),
        ("(exists (?q - place)", "(exists (q - place)", "line 10: 'q' stands where a variable was expected"),
        ("(forall (?o - tool) (wet ?o))", "(forall (?t - tool) (wet ?t))", r"'\?t' is declared twice"),
        (
            ":effect (and",
            ":effect (at ?p) :effect (and",
            "line 8: 'soak' is an action .* with a field that has no value or ",
        ),
        ("?t - thing ?p", "?t - (either thing place) ?p", "'either' stands where a word was expected, in brackets"),
    ],
)
def test_a_domain_of_another_family_is_refused(old: str, new: str, message: str) -> None:
    assert old in DOMAIN
    with pytest.raises(EnvError, match=message):
        read_domain(DOMAIN.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(in saw yard)", "(in saw moon)", "PDDL problem, line 7: 'moon' is no object of the game"),
        ("(in saw yard)", "(near saw yard)", "line 7: 'near' is no predicate of the domain"),
        ("(in saw yard)", "(in saw)", "'in' has 1 arguments where it takes 2"),
        ("(in saw yard)", "(in saw (yard))", "'yard' stands where a word was expected, in brackets"),
        ("(:domain shed)", "(:domain barn)", "'barn' is not the game's domain, which is 'shed'"),
        (" yard - place", "", "line 5: 'yard' is no object of the game"),
        ("yard - place saw rake - tool", "", "'yard' is no object of the game"),
        ("saw rake", "saw rake saw", "line 4: 'saw' is declared twice"),
        ("saw rake", "saw bench", "line 4: 'bench' is declared twice"),
        ("saw rake", "saw ?rake", r"line 4: '\?rake' is a variable where an object was expected"),
        ("(:domain shed)", "(:domain shed barn)", "'shed barn' is not the game's domain, which is 'shed'"),
        ("(:domain shed)", "", "'' is not the game's domain, which is 'shed'"),
        ("- tool", "- toy", "'toy' is no type of the domain, but 'saw' is said to be of it"),
        ("(and (wet saw))", "", "':goal' has 0 conditions where one was expected"),
        ("(:metric", "(:goal (at yard)) (:metric", "':goal' stands there twice"),
        ("minimize (total-cost)))", "minimize (total-cost)", "ends with 2 brackets open; it may be cut off"),
    ],
)
def test_a_problem_of_another_family_is_refused(old: str, new: str, message: str) -> None:
    assert old in PROBLEM
    with pytest.raises(EnvError, match=message):
        read_problem(PROBLEM.replace(old, new, 1), read_domain(DOMAIN))


def test_an_undeclared_type_of_a_variable_is_a_type_of_nothing() -> None:
    domain = read_domain(DOMAIN.replace("(?q - place)", "(?q - place, ?r - thing)"))
    (found,) = [part for part in domain.actions["soak"].precondition.parts if isinstance(part, Exists)]
    assert found.parameters == (Parameter("?q", "place,"), Parameter("?r", "thing"))


@given(st.integers(0, 2**32), st.sampled_from([DOMAIN, PROBLEM]))
def test_damaged_texts_are_read_or_refused(seed: int, text: str) -> None:
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        start, length = rng.randrange(len(text)), rng.randint(0, 8)
        text = text[:start] + "".join(rng.choices("() ?-a:\n", k=rng.randint(0, 4))) + text[start + length :]
    for read in (read_domain, lambda text: read_problem(text, read_domain(DOMAIN))):
        said = complaint(read, text)
        assert not said or "PDDL" in said
