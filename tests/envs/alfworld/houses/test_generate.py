"""Games from seeds: as asked for, solvable, the same everywhere, and none of the validation games."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.alfworld.conformance.transcript import play
from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.houses import HouseSettings, fingerprint, generate, generate_game, generate_household
from agentgym_critic.envs.alfworld.houses.generate import Household
from agentgym_critic.envs.alfworld.houses.hashing import house_fingerprint
from agentgym_critic.envs.alfworld.houses.settings import GENERATOR
from agentgym_critic.envs.alfworld.houses.solve import Found
from agentgym_critic.envs.alfworld.houses.tables import LAMP, ROOMS, lookalikes
from agentgym_critic.envs.alfworld.houses.tasks import TYPES, possible_tasks
from agentgym_critic.envs.alfworld.layout import TASK_TYPES
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.envs.alfworld.reference import ReferenceEngine
from agentgym_critic.errors import ConfigError

GENERATED = {1: "f0f5ff4f73ffd28e"}
"""For each version of the generator, a hash of what it generates."""

POSSIBLE = [(task_type, room) for task_type in TASK_TYPES for room in ROOMS if possible_tasks(room, task_type)]


def wins(engine, game: Game) -> bool:
    """Whether the walkthrough wins with its last command and no earlier one."""
    engine.start(game)
    for command in game.file.walkthrough:
        assert not engine.won
        assert command in engine.admissible
        engine.act(command)
    return engine.won


SAMPLE = """
import hashlib, msgspec
from agentgym_critic.envs.alfworld.houses import HouseSettings, generate_game
asked = HouseSettings(), HouseSettings(room="bedroom", dialect="put"), HouseSettings(min_solution=9, distractors=2)
games = [generate_game(seed, each) for each in asked for seed in range(8)]
print(hashlib.sha256(msgspec.json.encode([(game.id, game.file) for game in games])).hexdigest()[:16])
"""


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_gives_the_same_game_in_any_process(hash_seed: str) -> None:
    """If this fails because the generator was changed: raise GENERATOR and record the new hash."""
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", SAMPLE], env=environ, capture_output=True, text=True)
    assert done.stdout.strip() == GENERATED[GENERATOR], done.stderr


def test_seeds_give_different_games() -> None:
    assert len({fingerprint(generate_game(seed)) for seed in range(200)}) == 200


@pytest.mark.parametrize(("task_type", "room"), POSSIBLE)
def test_every_task_in_every_room_is_won_by_its_walkthrough(task_type: str, room: str) -> None:
    engine = NativeEngine()
    for seed, dialect in itertools.product(range(6), ("move", "put")):
        game = generate_game(seed, HouseSettings(room=room, task_type=task_type, dialect=dialect))
        assert game.id.startswith(f"{task_type}-")
        assert f"-{room}/seed_{seed}-" in game.id
        assert wins(engine, game)


def test_the_rooms_of_each_task_type() -> None:
    rooms = {task_type: {room for each, room in POSSIBLE if each == task_type} for task_type in TASK_TYPES}
    assert rooms == {
        "look_at_obj_in_light": {"bedroom", "livingroom"},
        "pick_and_place_simple": set(ROOMS),
        "pick_clean_then_place_in_recep": {"bathroom", "kitchen"},
        "pick_cool_then_place_in_recep": {"kitchen"},
        "pick_heat_then_place_in_recep": {"kitchen"},
        "pick_two_obj_and_place": set(ROOMS),
    }


@pytest.mark.parametrize(("task_type", "dialect"), [*itertools.product(TASK_TYPES, ("move", "put"))])
def test_the_reference_plays_the_games_and_finds_no_shorter_way(task_type: str, dialect: str) -> None:
    game = generate_game(7, HouseSettings(task_type=task_type, dialect=dialect, receptacles=6, objects=8))
    reference = ReferenceEngine()
    assert list(play(reference, game, steps=8)) == list(play(NativeEngine(), game, steps=8))
    assert wins(reference, game)
    reference.start(game)
    plan = reference.plan()
    reference.close()
    assert plan is not None
    assert plan.exact
    assert len(plan.actions) == len(game.file.walkthrough)


def things_of(found: Household) -> list[str]:
    return [thing.kind for thing in found.house.things if thing.kind != LAMP]


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**64),
    st.fixed_dictionaries(
        {},
        optional={
            "room": st.sampled_from([*ROOMS]) | st.lists(st.sampled_from([*ROOMS]), min_size=1).map(tuple),
            "task_type": st.sampled_from(TASK_TYPES) | st.lists(st.sampled_from(TASK_TYPES), min_size=1).map(tuple),
            "receptacles": st.integers(1, 45),
            "objects": st.integers(1, 110),
            "distractors": st.integers(0, 12),
            "spares": st.integers(0, 4),
            "min_solution": st.integers(1, 12),
            "dialect": st.sampled_from(["move", "put"]),
        },
    ),
)
def test_a_game_is_as_asked_for_or_refused(seed: int, asked: dict[str, object]) -> None:
    try:
        wanted = HouseSettings(**asked)
        found = generate_household(seed, wanted)
    except ConfigError as error:
        event("refused")
        if not re.match(r"there are no games with |2000 houses were drawn", str(error)):
            raise
        return
    house, task, kinds = found.house, found.task, things_of(found)
    assert house.room in wanted.rooms
    assert task.type in wanted.task_types
    assert len(house.places) == asked.get("receptacles", len(house.places))
    assert len(kinds) == asked.get("objects", len(kinds))
    assert kinds.count(task.thing) == task.wanted + asked.get("spares", kinds.count(task.thing) - task.wanted)
    alike = sum(kind in lookalikes(house.room, task.thing) for kind in kinds)
    assert alike == asked.get("distractors", alike)
    assert len(found.solution) >= wanted.min_solution
    assert all(thing.place in house.places for thing in house.things)
    assert wins(NativeEngine(), generate_game(seed, wanted))


@pytest.mark.parametrize(("task_type", "room"), POSSIBLE)
def test_the_longest_solution_is_found_in_every_room(task_type: str, room: str) -> None:
    longest = TYPES[task_type].longest
    for seed in range(5):
        found = generate_household(seed, HouseSettings(room=room, task_type=task_type, min_solution=longest))
        assert len(found.solution) == longest


def free(command: str) -> bool:
    """Whether a command only tells something."""
    return command.startswith(("look", "inventory", "help", "examine"))


def distance(game: Game) -> int:
    """The commands of a shortest way, by trying all."""
    engine = NativeEngine()
    engine.start(game)
    edge, reached = [engine.save()], {engine.key()}
    for steps in itertools.count(1):
        previous, edge = edge, []
        for state in previous:
            engine.restore(state)
            for command in engine.admissible:
                engine.restore(state)
                if free(command):
                    continue
                engine.act(command)
                if engine.won:
                    return steps
                if engine.key() not in reached:
                    reached.add(engine.key())
                    edge.append(engine.save())
    raise AssertionError("unreachable")


@pytest.mark.parametrize("task_type", TASK_TYPES)
@pytest.mark.parametrize("receptacles", [3, 4])
def test_no_way_is_shorter_than_the_walkthrough(task_type: str, receptacles: int) -> None:
    objects = TYPES[task_type].wanted + 1
    for seed in range(4):
        game = generate_game(seed, HouseSettings(task_type=task_type, receptacles=receptacles, objects=objects))
        assert len(game.file.walkthrough) == distance(game)


def test_a_validation_game_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = generate_household(5)
    official = frozenset([house_fingerprint(first.house, first.task)])
    monkeypatch.setattr(generate, "validation_fingerprints", lambda: official)
    second = generate_household(5)
    assert house_fingerprint(second.house, second.task) not in official
    assert second == generate_household(5)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "3"])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(ConfigError, match=rf"the seed of a house is a whole number from 0, got {seed!r}"):
        generate_game(seed)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            HouseSettings(task_type="pick_two_obj_and_place", receptacles=2, min_solution=11),
            r"2000 houses were drawn from seed 0 for HouseSettings\(.*min_solution=11.*\), and none is as asked for: "
            r"the longest shortest solution has 10 commands; lower min_solution, distractors or objects, or raise",
        ),
    ],
)
def test_what_no_house_offers_is_refused(asked: HouseSettings, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        generate_game(0, asked)


def test_refusing_looks_at_few_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of 22 things nearly always lie together, which the first ways show: no clock, so counted."""
    looked_at, search = [], generate.search

    def counted(*arguments: object) -> Found:
        found = search(*arguments)
        looked_at.append(found.ways)
        return found

    monkeypatch.setattr(generate, "search", counted)
    with pytest.raises(ConfigError, match=r"^2000 houses were drawn .* the longest shortest solution has 10 commands"):
        generate_household(0, HouseSettings(min_solution=11, spares=20))
    assert sum(looked_at) < generate.WAYS / 10


def test_the_ways_that_are_looked_at_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "WAYS", 20)
    with pytest.raises(ConfigError, match=r"^\d{1,2} houses were drawn from seed 0 for .* none is as asked for"):
        generate_household(0, HouseSettings(min_solution=11, spares=20))
