"""Small files that would hang or fill a machine end in an error that names the file, what was seen and the limit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec.structs import replace
from workshop import workshop

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.native.budget import Budget, check_size
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.errors import EnvError

FILE = workshop().file


def changed(**parts: str) -> Game:
    game = workshop()
    return game._replace(file=replace(game.file, **parts))


def with_action(action: str, places: int = 0, predicates: str = "") -> Game:
    """The workshop with an action called `more`, with more lit places, and with more predicates."""
    named = " ".join(f"room_bar_{number}" for number in range(places))
    lamps = " ".join(f"(lamp room_bar_{number})" for number in range(places))
    return changed(
        pddl_domain=FILE.pddl_domain.replace("(power)", f"(power) {predicates}", 1).replace(
            "(:action wait", f"(:action more {action}) (:action wait"
        ),
        pddl_problem=FILE.pddl_problem.replace("shed_bar_2 - place", f"shed_bar_2 {named} - place").replace(
            "(:init", f"(:init {lamps}"
        ),
        grammar=FILE.grammar + 'action more { template :: "more"; feedback :: "More."; }\n',
    )


def with_rules(intro: str, **rules: str) -> Game:
    more = "".join(f"{json.dumps(name)}: [{json.dumps({'rhs': text})}], " for name, text in rules.items())
    grammar = FILE.grammar.replace("-= Workshop", f"{intro} -= Workshop").replace('"list_empty"', more + '"list_empty"')
    return changed(grammar=grammar)


def commands_of(game: Game) -> list[str]:
    engine = NativeEngine()
    engine.start(game)
    return engine.admissible


def variables(number: int) -> str:
    return " ".join(f"?p{place}" for place in range(number))


def doubling() -> Game:
    rules = {f"r{depth}": f"#r{depth + 1}##r{depth + 1}#" for depth in range(40)}
    return with_rules("#r0#", **rules, r40="a")


def long_texts() -> Game:
    rules = {f"r{depth}": f"#r{depth + 1}#" * 10 for depth in range(4)}
    return with_rules("#r0#", **rules, r4="a" * 1_000)


def many_choices() -> Game:
    choice = "(or (lamp ?p) (lit ?p))"
    literals = " ".join(f"(seen{number} ?p)" for number in range(30))
    predicates = " ".join(f"(seen{number} ?p - place)" for number in range(30))
    condition = f"(and (at ?a ?p) {literals} {choice * 13})"
    return with_action(
        f":parameters (?a - agent ?p - place) :precondition {condition} :effect (power)", predicates=predicates
    )


def many_rows() -> Game:
    places = variables(6)
    needed = " ".join(f"(lamp {name})" for name in places.split())
    return with_action(f":parameters ({places} - place) :precondition (and {needed}) :effect (power)", places=100)


def many_rows_around_an_anchor() -> Game:
    # What the first fact leaves open of the second is looked for through all unchanging facts between them.
    names = variables(6).split()
    chain = " ".join(f"(road {here} {there})" for here, there in pairwise(names))
    game = with_action(
        f":parameters (?a - agent ?t - thing {variables(6)} - place) "
        f":precondition (and (at ?a ?p0) (lies ?t ?p5) {chain}) :effect (power)",
        places=40,
        predicates="(road ?p ?q - place)",
    )
    rooms = [f"room_bar_{number}" for number in range(40)] + ["hall_bar_1"]
    roads = " ".join(f"(road {here} {there})" for here in rooms for there in rooms)
    return game._replace(
        file=replace(game.file, pddl_problem=game.file.pddl_problem.replace("(:init", f"(:init {roads}"))
    )


def many_goals() -> Game:
    goal = " ".join(f"(exists (?p{place} - place) (at me ?p{place}))" for place in range(6))
    file = with_action(":parameters () :effect (power)", places=100).file
    return changed(
        pddl_domain=file.pddl_domain,
        grammar=file.grammar,
        pddl_problem=re.sub(r"\(:goal.*", f"(:goal (and {goal})))", file.pddl_problem, flags=re.DOTALL),
    )


def many_facts() -> Game:
    return with_action(
        f":parameters ({variables(4)} - place) :effect (linked {variables(4)})",
        places=100,
        predicates=f"(linked {variables(4)} - place)",
    )


def many_parameters() -> Game:
    return with_action(f":parameters ({variables(150_000)} - place) :effect (power)")


def many_types() -> Game:
    chain = " ".join(f"t{number} - t{number + 1}" for number in range(1_500))
    objects = " ".join(f"o{number} - t{number}" for number in range(1_500))
    return changed(
        pddl_domain=FILE.pddl_domain.replace("(:types", f"(:types {chain} t1500 - object"),
        pddl_problem=FILE.pddl_problem.replace("(:objects", f"(:objects {objects}"),
    )


def many_commands() -> Game:
    game = with_action(
        ":parameters (?a - agent ?x ?y - place) :precondition (and (lamp ?x) (lamp ?y)) :effect (linked ?x ?y)",
        places=120,
        predicates="(linked ?x ?y - place)",
    )
    return game._replace(file=replace(game.file, grammar=game.file.grammar.replace('"more"', '"link {x} with {y}"')))


def many_conditions() -> Game:
    query = " & ".join(f"lamp(p{number}:place)" for number in range(1_000))
    return with_rules(f"[{{p0.name | {query}}}]")


def many_facts_in_a_text() -> Game:
    query = " & ".join(f"lamp(p{number}:place)" for number in range(8))
    file = with_action(":parameters () :effect (power)", places=100).file
    return changed(
        pddl_domain=file.pddl_domain,
        pddl_problem=file.pddl_problem,
        grammar=file.grammar.replace("-= Workshop", f"[{{p0.name | {query}}}]"),
    )


def many_symbols() -> Game:
    rules = {f"r{number}": f"#r{number + 1}#" + "#list_empty# " * 200 for number in range(1_000)}
    return with_rules("#r0#", **rules, r1000="")


def deep() -> Game:
    return changed(pddl_domain=FILE.pddl_domain.replace("(and)", "(and " * 200 + ")" * 200))


def long_word() -> Game:
    return changed(pddl_problem=FILE.pddl_problem.replace("shed_bar_1", "x" * 20_000))


def many_effects() -> Game:
    effects = " ".join(["(power)"] * 2_000)
    return with_action(f":parameters () :effect (and {effects})")


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (doubling, r"the steps to derive a text of the grammar: [\d,]+ or more, where at most 500,000 are taken"),
        (long_texts, r"the steps to derive a text of the grammar: [\d,]+ or more, where at most 500,000"),
        (many_choices, r"conditions of the domain, .* multiplied out: [\d,]+ or more, where at most 50,000"),
        (many_rows, r"the rows of objects that its conditions are tried with: [\d,]+ or more, where at most 5,000,000"),
        (many_rows_around_an_anchor, r"the rows of objects that its conditions are tried with: [\d,]+ or more"),
        (many_goals, r"the rows of objects that its conditions are tried with: [\d,]+ or more"),
        (many_facts, r"the facts that may change: 112,552,233 or more, where at most 1,000,000"),
        (many_parameters, "the variables at one place: 150,000 or more, where at most 500 are taken"),
        (many_types, r"objects of each type, .* included: [\d,]+ or more, where at most 200,000"),
        (many_commands, r"the commands that are possible at once: [\d,]+ or more, where at most 10,000"),
        (many_conditions, "the conditions of a query: 1,000 or more, where at most 200 are taken"),
        (many_facts_in_a_text, r"the steps to derive a text of the grammar: [\d,]+ or more"),
        (many_symbols, "the symbols that the texts of the actions lead to: 100,001 or more, where at most 100,000"),
        (deep, "the PDDL domain is nested deeper than 100 brackets"),
        (long_word, "the characters of a word of the PDDL problem: 20,000 or more, where at most 10,000 are taken"),
        (many_effects, "the effects of the action 'more': 2,000 or more, where at most 1,000 are taken"),
    ],
)
def test_a_small_file_that_asks_for_too_much_is_refused(game: Callable[[], Game], message: str) -> None:
    with pytest.raises(EnvError, match=f"ALFWorld game workshop: .*{message}"):
        commands_of(game())


def large() -> Game:
    """A hundred times as large as a real game in one way after the other, and no more."""
    lamps = " ".join(f"(or (lamp ?p) (seen{number} ?p))" for number in range(8))
    predicates = " ".join(f"(seen{number} ?p - place)" for number in range(8))
    return with_action(
        f":parameters (?a - agent ?p - place) :precondition (and (at ?a ?p) {lamps}) :effect (power)",
        places=2_000,
        predicates=predicates,
    )


def test_a_large_game_is_played() -> None:
    assert "walk to room 2000" in commands_of(large())


def test_the_deepest_texts_are_derived() -> None:
    query = " & ".join(["lamp(p:place)"] * 200)
    expression = "+".join(["''"] * 330) + "+p.id"
    rules = {f"r{depth}": f"{{#r{depth + 1}# | {query}}}" for depth in range(4)}
    rules |= {f"r{depth}": f"#r{depth + 1}#" for depth in range(4, 48)}
    game = with_rules("#r0#", **rules, r48=f"{{{expression}}} ")
    assert NativeEngine().start(game).startswith("shed_bar_1 shed_bar_2  -= Workshop =-")


def test_many_types_below_each_other_are_read() -> None:
    chain = " ".join(f"t{number} - t{number + 1}" for number in range(20_000))
    game = changed(
        pddl_domain=FILE.pddl_domain.replace("(:types", f"(:types {chain} t20000 - object"),
        pddl_problem=FILE.pddl_problem.replace("(:objects", "(:objects o - t0 "),
    )
    assert commands_of(game) == commands_of(workshop())


def test_budgets_say_what_was_seen_and_what_is_taken() -> None:
    budget = Budget("the bolts", 3)
    budget.spend()
    budget.spend(2)
    with pytest.raises(EnvError, match="the game is too large: the bolts: 4 or more, where at most 3 are taken"):
        budget.spend()
    check_size("the nuts", 3, 3)
    with pytest.raises(EnvError, match="the nuts: 1,000 or more, where at most 3 are taken"):
        check_size("the nuts", 1_000, 3)
