"""A house and its task as the content of a ``game.tw-pddl`` file, in a domain and grammar of our own.

The packaged ``domain.pddl`` says how the world works, ``grammar.twl2`` what players say and are
told; here the facts of one house are added. Nothing is drawn and nothing solved here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources

from agentgym_critic.envs.alfworld.files import GameFile
from agentgym_critic.envs.alfworld.houses.dialect import Dialect
from agentgym_critic.envs.alfworld.houses.house import House, Place, Thing
from agentgym_critic.envs.alfworld.houses.tables import LAMP, PLACES, THINGS
from agentgym_critic.envs.alfworld.houses.tasks import Task
from agentgym_critic.prompts import fill

__all__ = ["write_game"]

TREATED = {"clean": "washed", "cool": "cold", "heat": "hot"}
TREATS = {"clean": "washes", "cool": "chills", "heat": "heats"}
TREATABLE = {"clean": "washable", "cool": "chillable", "heat": "heatable", "slice": "soft"}

PUT_ONE = "(exists (?o - thing ?p - place) (and (wanted ?o) (aim ?p) (lies ?o ?p){treated}))"
PUT_TWO = (
    "(exists (?o - thing ?o2 - thing ?p - place) (and (wanted ?o) (wanted ?o2) (not (= ?o ?o2)) "
    "(aim ?p) (lies ?o ?p) (lies ?o2 ?p)))"
)
SEE = (
    "(exists (?o - thing ?l - thing ?p - place ?s - spot) (and (wanted ?o) (carried ?o) (lamp ?l) (lit ?l) "
    "(lies ?l ?p) (reached ?p ?s) (stands ?s)))"
)

START = "loc_bar_000"
"""The spot in the middle of the room."""


def write_game(house: House, task: Task, sentence: str, walkthrough: tuple[str, ...], dialect: Dialect) -> GameFile:
    """What the game's file holds.

    Args:
        house: as it is at first.
        task: which things are wanted and where.
        sentence: the task as the player reads it.
        walkthrough: commands that lead to the goal, in the words of `dialect`.
        dialect: how the game words what it says.
    """
    return GameFile(
        pddl_domain=_text("domain.pddl"),
        pddl_problem=_problem(house, task),
        grammar=fill(_text("grammar.twl2"), sentence=sentence, **dialect._asdict()),
        solvable=True,
        walkthrough=walkthrough,
    )


@cache
def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _problem(house: House, task: Task) -> str:
    places, things = _ids(house.places), _ids(house.things)
    spots = [START, *sorted({_spot(place) for place in house.places})]
    lines = [
        "(define (problem task)",
        "  (:domain house)",
        "  (:objects",
        *(f"    {spot} - spot" for spot in spots),
        *(f"    {name} - place" for name in places.values()),
        *(f"    {name} - thing" for name in things.values()),
        "  )",
        "  (:init",
        f"    (stands {START})",
        "    (unladen)",
        *(f"    ({fact})" for place in house.places for fact in _place_facts(place, places[place], task)),
        *(f"    ({fact})" for thing in house.things for fact in _thing_facts(thing, things[thing], places, task)),
        "  )",
        f"  (:goal {_goal(task)})",
        ")",
    ]
    return "\n".join(lines) + "\n"


def _ids(members: tuple[Place, ...] | tuple[Thing, ...]) -> dict[Place | Thing, str]:
    """The names in PDDL: what players call a thing is made of its kind and of its rank, counted from the last id."""
    totals = Counter(member.kind for member in members)
    return {member: _id(member.kind.lower(), totals[member.kind] - member.number) for member in members}


def _id(kind: str, rank: int) -> str:
    # Demangling adds "basin" to the kind wherever an id contains it.
    name = kind.removesuffix("basin")
    return f"{name}_bar_{rank:03d}" + ("_bar_basin" if name != kind else "")


def _spot(place: Place) -> str:
    return f"loc_bar_{place.spot + 1:03d}"


def _place_facts(place: Place, name: str, task: Task) -> Iterator[str]:
    yield f"reached {name} {_spot(place)}"
    if place.door:
        yield f"shut {name}"
    if treats := PLACES[place.kind].treats:
        yield f"{TREATS[treats]} {name}"
    if place.kind == task.place:
        yield f"aim {name}"


def _thing_facts(thing: Thing, name: str, places: dict[Place | Thing, str], task: Task) -> Iterator[str]:
    kind = THINGS[thing.kind]
    yield f"lies {name} {places[thing.place]}"
    if thing.kind == LAMP:
        yield f"lamp {name}"
        return
    yield f"light {name}"
    yield from (f"{trait} {name}" for trait in sorted(kind.traits))
    yield from (f"{TREATABLE[treatment]} {name}" for treatment in sorted(kind.treats))
    yield from (f"fits {name} {places[place]}" for place in places if place.kind in kind.places)
    if thing.kind == task.thing:
        yield f"wanted {name}"


def _goal(task: Task) -> str:
    if task.type == "look_at_obj_in_light":
        return SEE
    if task.wanted == 2:
        return PUT_TWO
    return PUT_ONE.format(treated=f" ({TREATED[task.treatment]} ?o)" if task.treatment else "")
