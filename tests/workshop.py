"""A game of ours that uses what real games do not: conditional and quantified effects, types below
types, notes of false facts, commands whose wording depends on the state, and two ways to one action."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from agentgym_critic.envs.alfworld.files import Game, GameFile
from agentgym_critic.errors import EnvError

DOMAIN = """
(define (domain workshop)
 (:requirements :adl :typing)
 (:types agent place thing - object tool part - thing)
 (:predicates (at ?a - agent ?p - place) (lies ?t - thing ?p - place) (holds ?a - agent ?t - thing)
              (busy ?a - agent) (lit ?p - place) (lamp ?p - place) (oiled ?t - thing) (worn ?t - thing)
              (fits ?t - tool ?p - part) (seen ?p - place) (power))
 (:action look :parameters (?a - agent ?p - place) :precondition (at ?a ?p) :effect (seen ?p))
 (:action walk :parameters (?a - agent ?here ?to - place)
  :precondition (and (at ?a ?here))
  :effect (and (at ?a ?to) (not (at ?a ?here))))
 (:action grab :parameters (?a - agent ?t - thing ?p - place)
  :precondition (and (at ?a ?p) (lies ?t ?p) (not (busy ?a)))
  :effect (and (holds ?a ?t) (busy ?a) (not (lies ?t ?p))))
 (:action drop :parameters (?a - agent ?t - thing ?p - place)
  :precondition (and (at ?a ?p) (holds ?a ?t))
  :effect (and (lies ?t ?p) (not (holds ?a ?t)) (not (busy ?a))
               (when (oiled ?t) (not (lit ?p)))))
 (:action flip :parameters (?a - agent ?p - place)
  :precondition (and (at ?a ?p) (lamp ?p))
  :effect (and (when (lit ?p) (not (lit ?p))) (when (not (lit ?p)) (lit ?p))))
 (:action main :parameters (?a - agent)
  :precondition (exists (?p - place) (and (at ?a ?p) (not (lamp ?p))))
  :effect (and (power) (forall (?p - place) (when (lamp ?p) (lit ?p)))))
 (:action oil :parameters (?a - agent ?t - tool ?x - part)
  :precondition (and (holds ?a ?t) (or (fits ?t ?x) (worn ?x)) (exists (?p - place) (and (at ?a ?p) (lies ?x ?p))))
  :effect (and (oiled ?x) (not (worn ?x))))
 (:action wait :parameters (?a - agent) :precondition () :effect (and))
)
"""

PROBLEM = """
(define (problem p) (:domain workshop)
 (:objects me - agent hall_bar_1 shed_bar_1 shed_bar_2 - place oiler_bar_1 oiler_bar_2 - tool
           cog_bar_1 cog_bar_2 axle_bar_1 - part)
 (:init (at me hall_bar_1) (lamp shed_bar_1) (lamp shed_bar_2) (lit shed_bar_2)
        (lies oiler_bar_1 hall_bar_1) (lies oiler_bar_2 shed_bar_1) (lies cog_bar_1 shed_bar_1)
        (lies cog_bar_2 hall_bar_1) (lies axle_bar_1 shed_bar_2) (worn axle_bar_1)
        (fits oiler_bar_1 cog_bar_1) (fits oiler_bar_1 cog_bar_2))
 (:goal (and (exists (?x ?y - part) (and (oiled ?x) (oiled ?y) (not (= ?x ?y)) (lies ?x shed_bar_1)))
             (lit shed_bar_1))))
"""

TEMPLATES = {
    "look": ("look", "#look.feedback#"),
    "walk": ("walk to {to}", "You walk from {here.name} to the {to.name}. #look.feedback#"),
    "grab": ("grab {t}", "You grab {t.indefinite + ' ' + t.name or 'nothing'}."),
    "drop": ("drop {t} [{x.name | oiled(x:part)}]", "#drop.feedback#"),
    "flip": ("flip the switch", "Click. {p.type} {p.id} #drop.feedback#"),
    "main": ("power on", "It hums. [{#spot(q)# | lamp(q:place)}]"),
    "oil": ("oil {x} with {t}", "Oiled: {x.name | oiled(x:part)}; this is not said"),
    "wait": ("wait", "You wait."),
}

RULES = {
    "intro": [("", "-= Workshop =-\n\n#look.feedback#\n\nYour task is to: oil two parts.")],
    "look.feedback": [
        (
            "at(a:agent, p:place) & lies(t:thing, p:place)",
            "Here: [{t.name | at(a:agent, p:place) & lies(t:thing, p:place)}].",
        ),
        ("at(a:agent, p:place) & seen(p:place)", " \n An empty, known place."),
        ("", "You see nothing."),
    ],
    "drop.feedback": [
        ("lies(t:thing, p:place) & worn(t:thing)", "It lies there, worn."),
        (
            "not_lies(t:thing, p:place) & holds(a:agent, u:thing)",
            "Something was here; [{t.name | not_lies(t:thing, p:place)}].",
        ),
        ("not_lies(t:thing, p:place)", "Something was here."),
        ("", "\tSo."),
    ],
    "spot(q)": [("", "the {q.name}")],
    "list_empty": [("", "nothing")],
    "list_separator": [("", ", ")],
    "list_last_separator": [("", " and ")],
}


def workshop(seed: int = 0) -> Game:
    """The game, as if read from a file; the seed only names it."""
    rules = {
        name: [{"condition": when, "rhs": text} if when else {"rhs": text} for when, text in alternatives]
        for name, alternatives in RULES.items()
    }
    actions = "\n".join(
        f'action {name} {{ template :: "{template}"; feedback :: "{feedback}"; }}'
        for name, (template, feedback) in TEMPLATES.items()
    )
    grammar = f'grammar :: """\n{json.dumps(rules)}\n""";\n{actions}\n'
    return Game(
        f"workshop/{seed}", Path("workshop"), GameFile(DOMAIN, PROBLEM, grammar, True, ("look", "walk to shed 2"))
    )


def complaint(read: Callable[[str], object], text: str) -> str:
    """What a reader says of a text that it refuses; empty if it reads it."""
    try:
        read(text)
    except EnvError as error:
        return str(error)
    return ""
