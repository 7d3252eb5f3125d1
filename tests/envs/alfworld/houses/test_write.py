"""A house written as a game: everything a player can say is answered in the form of ALFWorld's games."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.houses.dialect import DIALECTS
from agentgym_critic.envs.alfworld.houses.house import House, Place, Thing
from agentgym_critic.envs.alfworld.houses.solve import shortest_way
from agentgym_critic.envs.alfworld.houses.tasks import Task
from agentgym_critic.envs.alfworld.houses.write import write_game
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.envs.alfworld.reference import ReferenceEngine

COUNTER, COFFEE = Place("CounterTop", 1, 1), Place("CoffeeMachine", 1, 1)
FRIDGE, MICROWAVE, SINK = Place("Fridge", 1, 2), Place("Microwave", 1, 3), Place("SinkBasin", 1, 4)
HOUSE = House(
    "kitchen",
    (COUNTER, COFFEE, FRIDGE, MICROWAVE, SINK),
    (Thing("Apple", 1, COUNTER), Thing("Apple", 2, FRIDGE), Thing("Knife", 1, COUNTER), Thing("Mug", 1, FRIDGE)),
)
LIT = House("bedroom", (Place("Desk", 1, 1),), (Thing("DeskLamp", 1, Place("Desk", 1, 1)),))
COOL = Task("pick_cool_then_place_in_recep", "Apple", "CounterTop")

STORY = [
    ("look", "You are in the middle of a room. Looking quickly around you, you see a coffeemachine 1, a countertop 1, "
             "a fridge 1, a microwave 1, and a sinkbasin 1."),
    ("inventory", "You are not carrying anything."),
    ("go to coffeemachine 1", "You arrive at coffeemachine 1. On the coffeemachine 1, you see nothing."),
    ("look", "You are facing the coffeemachine 1, and countertop 1. Next to it, you see nothing."),
    ("examine countertop 1", "On the countertop 1, you see a apple 1, and a knife 1."),
    ("examine apple 1", "There's nothing special about apple 1."),
    ("take knife 1 from countertop 1", "You pick up the knife 1 from the countertop 1."),
    ("inventory", "You are carrying: a knife 1."),
    ("slice apple 1 with knife 1", "You sliced the apple 1 with the knife 1."),
    ("examine apple 1", "This is a sliced apple 1."),
    ("go to fridge 1", "You arrive at fridge 1. The fridge 1 is closed."),
    ("examine fridge 1", "The fridge 1 is closed."),
    ("open fridge 1", "You open the fridge 1. The fridge 1 is open. In it, you see a apple 2, and a mug 1."),
    ("slice apple 2 with knife 1", "You sliced the apple 2 with the knife 1."),
    ("go to sinkbasin 1", "You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing."),
    ("clean knife 1 with sinkbasin 1", "You clean the knife 1 using the sinkbasin 1."),
    ("examine knife 1", "This is a clean knife 1."),
    ("move knife 1 to sinkbasin 1", "You move the knife 1 to the sinkbasin 1."),
    ("go to fridge 1", "You arrive at fridge 1. The fridge 1 is open. In it, you see a apple 2, and a mug 1."),
    ("examine mug 1", "This is a normal mug 1. In it, you see nothing."),
    ("take apple 2 from fridge 1", "You pick up the apple 2 from the fridge 1."),
    ("close fridge 1", "You close the fridge 1."),
    ("cool apple 2 with fridge 1", "You cool the apple 2 using the fridge 1."),
    ("examine apple 2", "This is a cool sliced apple 2."),
    ("go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed."),
    ("heat apple 2 with microwave 1", "You heat the apple 2 using the microwave 1."),
    ("examine apple 2", "This is a hot sliced apple 2."),
    ("go to sinkbasin 1", "You arrive at sinkbasin 1. On the sinkbasin 1, you see a knife 1."),
    ("clean apple 2 with sinkbasin 1", "You clean the apple 2 using the sinkbasin 1."),
    ("examine apple 2", "This is a hot and clean sliced apple 2."),
    ("go to fridge 1", "You arrive at fridge 1. The fridge 1 is closed."),
    ("cool apple 2 with fridge 1", "You cool the apple 2 using the fridge 1."),
    ("examine apple 2", "This is a cool and clean sliced apple 2."),
    ("go to countertop 1", "You arrive at countertop 1. On the countertop 1, you see a apple 1."),
    ("move apple 2 to countertop 1", "You move the apple 2 to the countertop 1."),
]  # fmt: skip


def game_of(house: House, task: Task, dialect: str = "move") -> Game:
    words = DIALECTS[dialect]
    file = write_game(house, task, task.sentence(0), shortest_way(house, task, words) or (), words)
    return Game(f"{task.type}-{task.thing}-None-{task.place}-1/seed_0", Path("nowhere"), file)


@pytest.fixture(params=[NativeEngine, ReferenceEngine])
def engine(request):
    engine = request.param()
    yield engine
    engine.close()


def test_a_story(engine) -> None:
    introduction = engine.start(game_of(HOUSE, COOL))
    assert introduction.split("\n\n") == [
        "-= Welcome to a house =-",
        STORY[0][1],
        "Your task is to: put a cool apple in countertop.",
    ]
    for command, text in STORY:
        assert not engine.won
        assert command in engine.admissible
        assert engine.act(command) == text
    assert engine.won


def test_what_is_possible_follows_the_rules_of_the_house(engine) -> None:
    engine.start(game_of(HOUSE, COOL))
    always = ["help", "inventory", "look"]
    walks = [f"go to {name} 1" for name in ("coffeemachine", "countertop", "fridge", "microwave", "sinkbasin")]
    assert engine.admissible == [*walks, *always]
    engine.act("go to countertop 1")
    things = ("apple 1", "knife 1")
    seen = ["examine apple 1", "examine coffeemachine 1", "examine countertop 1", "examine knife 1"]
    takes = [f"take {thing} from countertop 1" for thing in things]
    assert engine.admissible == [*seen, *walks[2:], *always, *takes]
    engine.act("take knife 1 from countertop 1")
    drops = ["move knife 1 to countertop 1", "slice apple 1 with knife 1"]
    assert engine.admissible == [*seen, *walks[2:], *always, *drops]
    engine.act("go to fridge 1")
    away = [walk for walk in walks if "fridge" not in walk]
    assert engine.admissible == ["examine fridge 1", "examine knife 1", *away, *always, "open fridge 1"]
    engine.act("open fridge 1")
    assert "close fridge 1" in engine.admissible
    assert "move knife 1 to fridge 1" not in engine.admissible, "a knife does not belong there"
    assert "take mug 1 from fridge 1" not in engine.admissible, "one thing in hand"
    assert "cool knife 1 with fridge 1" not in engine.admissible


def test_a_lamp_is_switched_on_and_stays_where_it_is(engine) -> None:
    house = LIT._replace(things=(*LIT.things, Thing("Book", 1, LIT.places[0])))
    engine.start(game_of(house, Task("look_at_obj_in_light", "Book", "DeskLamp")))
    engine.act("go to desk 1")
    assert engine.act("examine desklamp 1") == "There's nothing special about desklamp 1."
    assert "take desklamp 1 from desk 1" not in engine.admissible
    assert engine.act("use desklamp 1") == "You turn on the desklamp 1."
    assert engine.act("examine desklamp 1") == "This desklamp 1 is on."
    assert not engine.won
    engine.act("take book 1 from desk 1")
    assert engine.won


def test_help_names_every_form_of_command(engine) -> None:
    engine.start(game_of(HOUSE, COOL))
    forms = [line.partition(":")[0].strip() for line in engine.act("help").splitlines()[1:]]
    assert forms == [
        "look",
        "inventory",
        "go to (receptacle)",
        "open (receptacle)",
        "close (receptacle)",
        "take (object) from (receptacle)",
        "move (object) to (receptacle)",
        "examine (object or receptacle)",
        "use (object)",
        "clean (object) with (receptacle)",
        "heat (object) with (receptacle)",
        "cool (object) with (receptacle)",
        "slice (object) with (object)",
    ]


def test_the_older_dialect(engine) -> None:
    game = game_of(HOUSE, COOL, "put")
    engine.start(game)
    assert "  put (object) in/on (receptacle): " in engine.act("help")
    spoken = [engine.act(command) for command in game.file.walkthrough]
    assert list(game.file.walkthrough) == [
        "go to countertop 1",
        "take apple 1 from countertop 1",
        "go to fridge 1",
        "cool apple 1 with fridge 1",
        "go to countertop 1",
        "put apple 1 in/on countertop 1",
    ]
    assert spoken[0] == "You arrive at loc 4. On the countertop 1, you see a apple 1, and a knife 1."
    assert spoken[-1] == "You put the apple 1 in/on the countertop 1."
    assert engine.won


@pytest.mark.parametrize("kind", ["SinkBasin", "BathtubBasin"])
def test_basins_have_the_names_that_alfworld_gives_them(engine, kind: str) -> None:
    places = (Place(kind, 1, 1), Place(kind, 2, 2), Place("Toilet", 1, 3))
    house = House("bathroom", places, (Thing("Cloth", 1, places[2]),))
    engine.start(game_of(house, Task("pick_and_place_simple", "Cloth", kind)))
    assert engine.admissible[:2] == [f"go to {kind.lower()} 1", f"go to {kind.lower()} 2"]


def test_solved_tasks_have_no_way() -> None:
    assert shortest_way(LIT, Task("look_at_obj_in_light", "Book", "DeskLamp"), DIALECTS["move"]) is None
