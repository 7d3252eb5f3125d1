"""The search for a shortest way leaves nothing out that could be shorter, and ends early where it may."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.alfworld.houses import HouseSettings
from agentgym_critic.envs.alfworld.houses.dialect import DIALECTS
from agentgym_critic.envs.alfworld.houses.dice import Dice
from agentgym_critic.envs.alfworld.houses.draw import draw_house
from agentgym_critic.envs.alfworld.houses.house import House, Place
from agentgym_critic.envs.alfworld.houses.solve import search, shortest_way
from agentgym_critic.envs.alfworld.houses.tables import LAMP, PLACES
from agentgym_critic.envs.alfworld.houses.tasks import Task
from agentgym_critic.envs.alfworld.layout import TASK_TYPES

MOVE = DIALECTS["move"]


def told(stops: list[tuple[Place, str, bool]]) -> list[str]:
    """Commands for doing something at one place after the other."""
    commands: list[str] = []
    spot, opened = 0, set()
    for place, command, inside in stops:
        if place.spot != spot:
            commands.append(f"go to {place.name}")
        spot = place.spot
        if inside and place.door and place.name not in opened:
            commands.append(f"open {place.name}")
            opened.add(place.name)
        commands.append(command)
    return commands


def every_way(house: House, task: Task) -> list[list[str]]:
    """With each choice of things, appliances and receptacles."""
    ways = []
    treaters = [place for place in house.places if task.treatment and PLACES[place.kind].treats == task.treatment]
    if task.place == LAMP:
        for thing, lamp in product(house.things_of(task.thing), house.things_of(LAMP)):
            take = (thing.place, f"take {thing.name} from {thing.place.name}", True)
            ways.append(told([take, (lamp.place, f"use {lamp.name}", False)]))
        return ways
    things = permutations(house.things_of(task.thing), task.wanted)
    for chosen, aim, treater in product(things, house.places_of(task.place), treaters or [None]):
        stops = []
        for thing in chosen:
            stops.append((thing.place, f"take {thing.name} from {thing.place.name}", True))
            if treater:
                stops.append((treater, f"{task.treatment} {thing.name} with {treater.name}", False))
            stops.append((aim, f"move {thing.name} to {aim.name}", True))
        ways.append(told(stops))
    return ways


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(TASK_TYPES), st.integers(0, 8))
def test_the_first_of_the_shortest_of_all_ways_is_found(seed: int, task_type: str, spares: int) -> None:
    drawn = draw_house(Dice(seed), HouseSettings(task_type=task_type, spares=spares))
    if drawn is not None:
        assert shortest_way(*drawn, MOVE) == tuple(min(every_way(*drawn), key=len))


@pytest.mark.parametrize("seed", range(5))
def test_the_search_ends_with_a_way_that_is_too_short(seed: int) -> None:
    drawn = draw_house(Dice(seed), HouseSettings(task_type="pick_two_obj_and_place", spares=8))
    assert drawn is not None
    whole = search(*drawn, MOVE)
    early = search(*drawn, MOVE, least=12)
    assert early.ways == 1 < whole.ways
    assert len(whole.commands) <= len(early.commands) < 12
    assert search(*drawn, MOVE, least=len(whole.commands)) == whole
