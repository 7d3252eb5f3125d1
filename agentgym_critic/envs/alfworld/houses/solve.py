"""The shortest way from the beginning of a game to its goal, found by listing what must be done.

Each type of task fixes the order of its deeds: a thing is taken before it is treated, treated
before it is put in its place, put down before the next is taken. Every deed happens at one
receptacle. So a way is a choice of things and receptacles, and costs one command for each deed,
one for each door that must be opened, and one each time that two deeds in a row are out of
reach of each other. No other command brings the goal nearer: a thing that is put down on the
way has to be taken again, and a door is opened only where something is taken out or put in. The
best choice, of all there are, is therefore a shortest way. For a lamp the order is free, but the
player must end beside it with the thing in hand, so using it last is never worse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import permutations, product
from typing import NamedTuple, TypeAlias

from agentgym_critic.envs.alfworld.houses.dialect import Dialect
from agentgym_critic.envs.alfworld.houses.house import House, Place, Thing
from agentgym_critic.envs.alfworld.houses.tables import PLACES
from agentgym_critic.envs.alfworld.houses.tasks import Task

__all__ = ["Found", "search", "shortest_way"]


class Deed(NamedTuple):
    """A command, the receptacle where it is given, and whether a door there must be open."""

    place: Place
    command: str
    door: bool


Way: TypeAlias = list[Deed]


class Found(NamedTuple):
    """What a search came to."""

    commands: tuple[str, ...]
    """Of the shortest way that was looked at, the first of them where there are several; empty if there is none."""
    ways: int
    """How many were looked at."""


def shortest_way(house: House, task: Task, dialect: Dialect) -> tuple[str, ...] | None:
    """The commands of a shortest way, or None if there is none.

    Args:
        house: as it is at first.
        task: not yet done there.
        dialect: in whose words.
    """
    return search(house, task, dialect).commands or None


def search(house: House, task: Task, dialect: Dialect, least: int = 0) -> Found:
    """Look at one way after the other for a shortest one.

    Args:
        house: as it is at first.
        task: not yet done there.
        dialect: in whose words.
        least: the search ends with a way of fewer commands than this.
    """
    best: Way = []
    length, ways = 0, 0
    for way in _ways(house, task, dialect):
        ways += 1
        if (here := _length(way)) < length or not best:
            best, length = way, here
            if length < least:
                break
    return Found(_commands(best), ways)


def _ways(house: House, task: Task, dialect: Dialect) -> Iterator[Way]:
    errands = cache(lambda thing: _errands(thing, house, task, dialect))
    for chosen in permutations(_candidates(house, task), task.wanted):
        for parts in zip(*map(errands, chosen), strict=True):
            yield [deed for part in parts for deed in part]


def _candidates(house: House, task: Task) -> Iterator[Thing]:
    """The things that may be chosen, without those that have enough of their like before them in the same place."""
    seen: Counter[Place] = Counter()
    for thing in house.things_of(task.thing):
        seen[thing.place] += 1
        if seen[thing.place] <= task.wanted:
            yield thing


def _errands(thing: Thing, house: House, task: Task, dialect: Dialect) -> list[Way]:
    """What may be done with a thing: for each thing the same choices of other things in the same order."""
    taken = Deed(thing.place, f"take {thing.name} from {thing.place.name}", thing.place.door)
    if task.type == "look_at_obj_in_light":
        return [[taken, Deed(lamp.place, f"use {lamp.name}", door=False)] for lamp in house.things_of(task.place)]
    aims, treaters = house.places_of(task.place), _treaters(house, task.treatment)
    return [
        [taken, *_treated(thing, task.treatment, treater), Deed(aim, dialect.drop(thing.name, aim.name), aim.door)]
        for aim, treater in product(aims, treaters)
    ]


def _treaters(house: House, treatment: str) -> list[Place | None]:
    if not treatment:
        return [None]
    return [place for place in house.places if PLACES[place.kind].treats == treatment]


def _treated(thing: Thing, treatment: str, treater: Place | None) -> Way:
    return [Deed(treater, f"{treatment} {thing.name} with {treater.name}", door=False)] if treater else []


def _length(way: Iterable[Deed]) -> int:
    """How many commands a way has."""
    length, spot = 0, None
    opened: list[Place] = []
    for place, _, door in way:
        length += 1 + (place.spot != spot)
        spot = place.spot
        if door and place not in opened:
            length += 1
            opened.append(place)
    return length


def _commands(way: Iterable[Deed]) -> tuple[str, ...]:
    commands: list[str] = []
    spot, opened = None, set()
    for place, command, door in way:
        if place.spot != spot:
            commands.append(f"go to {place.name}")
            spot = place.spot
        if door and place not in opened:
            commands.append(f"open {place.name}")
            opened.add(place)
        commands.append(command)
    return tuple(commands)
