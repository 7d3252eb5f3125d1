"""What the reference does wrong and the native engine does not copy, each in the smallest game that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym_critic.envs.alfworld.engine import Engine
from agentgym_critic.envs.alfworld.files import Game, GameFile
from agentgym_critic.envs.alfworld.native.engine import NativeEngine

DOMAIN = """
(define (domain switch)
 (:requirements :adl :typing)
 (:types agent place - object)
 (:predicates (at ?a - agent ?p - place) (lit ?p - place))
 (:action flip :parameters (?a - agent ?p - place)
  :precondition (at ?a ?p)
  :effect (and (when (lit ?p) (not (lit ?p))) (when (not (lit ?p)) (lit ?p)))))
"""

PROBLEM = """
(define (problem p) (:domain switch)
 (:objects me - agent lamp_bar_1 - place)
 (:init (at me lamp_bar_1) (lit lamp_bar_1))
 (:goal (not (lit lamp_bar_1))))
"""

RULES = {
    "intro": [{"rhs": "A lamp. Your task is to: flip."}],
    "now": [{"condition": "lit(p:place)", "rhs": "Light."}, {"rhs": "Dark."}],
    "list_empty": [{"rhs": "nothing"}],
    "list_separator": [{"rhs": ", "}],
    "list_last_separator": [{"rhs": " and "}],
}

GRAMMAR = f'''grammar :: """\n{json.dumps(RULES)}\n""";
action flip {{ template :: "flip"; feedback :: "#now#"; }}
'''


def flips(engine: Engine) -> tuple[list[str], list[bool]]:
    """What three flips of the switch are answered, and whether the game counts as won after each."""
    engine.start(Game("switch/0", Path("switch"), GameFile(DOMAIN, PROBLEM, GRAMMAR, True, ("flip",))))
    told, won = [], []
    for _ in range(3):
        told.append(engine.act("flip"))
        won.append(engine.won)
    engine.close()
    return told, won


def test_texts_that_read_what_an_action_may_have_changed() -> None:
    """The reference's state is right, but its texts see each conditional effect as if it had happened."""
    pytest.importorskip("textworld")
    pytest.importorskip("alfworld")
    from agentgym_critic.envs.alfworld.reference import ReferenceEngine

    assert flips(NativeEngine()) == (["Dark.", "Light.", "Dark."], [True, False, True])
    assert flips(ReferenceEngine()) == (["Dark.", "Dark.", "Dark."], [True, False, True])
