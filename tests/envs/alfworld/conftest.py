"""A tiny game of our own in ALFWorld's file format, so that the reference engine runs without the real data."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

DOMAIN = """
(define (domain attic)
 (:requirements :adl :typing)
 (:types agent place thing)
 (:predicates (at ?a - agent ?p - place) (in ?o - thing ?p - place) (holds ?a - agent ?o - thing)
              (busy ?a - agent) (looked ?a - agent) (polished ?o - thing))
 (:action look :parameters (?a - agent) :precondition () :effect (looked ?a))
 (:action GotoLocation :parameters (?a - agent ?from - place ?r - place)
  :precondition (and (at ?a ?from) (not (at ?a ?r)))
  :effect (and (not (at ?a ?from)) (at ?a ?r)))
 (:action PickupObject :parameters (?a - agent ?o - thing ?r - place)
  :precondition (and (at ?a ?r) (in ?o ?r) (not (busy ?a)))
  :effect (and (holds ?a ?o) (busy ?a) (not (in ?o ?r))))
 (:action PutObject :parameters (?a - agent ?o - thing ?r - place)
  :precondition (and (at ?a ?r) (holds ?a ?o))
  :effect (and (in ?o ?r) (not (holds ?a ?o)) (not (busy ?a))))
 (:action Polish :parameters (?a - agent ?o - thing)
  :precondition (holds ?a ?o)
  :effect (polished ?o)))
"""

PROBLEM = """
(define (problem p) (:domain attic)
 (:objects me - agent chest_bar_1 shelf_bar_1 shelf_bar_2 - place lamp_bar_1 bell_bar_1 - thing)
 (:init (at me chest_bar_1) (in lamp_bar_1 shelf_bar_1) (in bell_bar_1 shelf_bar_2))
 (:goal (and (in GOAL chest_bar_1) (polished GOAL))))
"""

TEMPLATES = {
    "look": ("look", "#look.feedback#"),
    "GotoLocation": ("go to {r}", "#go.feedback#"),
    "PickupObject": ("take {o} from {r}", "#take.feedback#"),
    "PutObject": ("put {o} in/on {r}", "#put.feedback#"),
    "Polish": ("polish {o}", "#polish.feedback#"),
}

RULES = {
    "intro": "-= Attic =-\n\n#look.feedback#\n\nYour task is to: put the polished TARGET in the chest.",
    "look.feedback": "Around you: [{r.name | in(o:thing, r:place)}].",
    "go.feedback": "You are at the {r.name}. On it: [{o.name | in(o:thing, r:place)}].",
    "take.feedback": "You hold the {o.name}.",
    "put.feedback": "The {o.name} lies in the {r.name}.",
    "polish.feedback": "The {o.name} shines.",
    "list_empty": "nothing",
    "list_separator": ", ",
    "list_last_separator": ", and ",
}


def attic_game(goal: str) -> dict[str, object]:
    rules = json.dumps({name: [{"rhs": text}] for name, text in RULES.items()})
    actions = "\n".join(
        f'action {name} {{ template :: "{template}"; feedback :: "{feedback}"; }}'
        for name, (template, feedback) in TEMPLATES.items()
    )
    # ALFWorld numbers things of a kind backwards.
    place = {"lamp": "shelf 2", "bell": "shelf 1"}[goal]
    return {
        "pddl_domain": DOMAIN,
        "pddl_problem": PROBLEM.replace("GOAL", f"{goal}_bar_1"),
        "grammar": f'grammar :: """\n{rules}\n""";\n{actions}\n'.replace("TARGET", goal),
        "solvable": True,
        "walkthrough": [
            f"go to {place}",
            f"take {goal} 1 from {place}",
            f"polish {goal} 1",
            "go to chest 1",
            f"put {goal} 1 in/on chest 1",
        ],
    }


class Attic:
    """A data folder with two games of ours in the split valid_seen."""

    split = "valid_seen"
    lamp = "pick_and_place_simple-Lamp-None-Chest-1/trial_1"
    bell = "pick_clean_then_place_in_recep-Bell-None-Chest-1/trial_2"

    def __init__(self, folder: Path) -> None:
        self.data, self.cache = folder / "data", folder / "cache"
        self.folder = self.data / "json_2.1.1" / self.split
        self.write(self.lamp, attic_game("lamp"))
        self.write(self.bell, attic_game("bell"))

    def write(self, game_id: str, content: object) -> Path:
        file = self.folder / game_id / "game.tw-pddl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def game(self, goal: str, **changes: object) -> dict[str, object]:
        return {**attic_game(goal), **changes}

    def settle(self) -> None:
        """Make all folders look as if nothing had changed for an hour, so that their index may be cached."""
        for path, _, _ in os.walk(self.data):
            stat = os.stat(path)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - 3600 * 10**9))

    def settings(self, **changes: object) -> dict[str, object]:
        return {"data": self.data, "split": self.split, "cache": self.cache, **changes}


@pytest.fixture
def attic(tmp_path: Path) -> Attic:
    return Attic(tmp_path)
