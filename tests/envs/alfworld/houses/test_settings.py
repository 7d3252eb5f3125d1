"""What is refused before any house is drawn, and in which words."""

from __future__ import annotations

import re

import msgspec
import pytest

from agentgym_critic.envs.alfworld.houses import HouseSettings
from agentgym_critic.envs.alfworld.houses.settings import choices
from agentgym_critic.envs.alfworld.houses.tables import PLACES, ROOMS, lookalikes
from agentgym_critic.envs.alfworld.houses.tasks import possible_tasks
from agentgym_critic.envs.alfworld.layout import TASK_TYPES
from agentgym_critic.errors import ConfigError, UnknownIdError

PLACE, TWO = "pick_and_place_simple", "pick_two_obj_and_place"
HEAT, LOOK = "pick_heat_then_place_in_recep", "look_at_obj_in_light"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"room": "bathroom", "task_type": HEAT},
            f"there are no games with room='bathroom' and task_type='{HEAT}': {HEAT} is possible in kitchen",
        ),
        (
            {"room": ("kitchen", "bathroom"), "task_type": [LOOK, PLACE]},
            f"there are no games with room=('kitchen', 'bathroom') and task_type=('{LOOK}', '{PLACE}'): "
            f"{LOOK} is possible in livingroom, bedroom; {PLACE} is possible in kitchen, livingroom, bedroom, bathroom",
        ),
        (
            {"room": "bathroom", "receptacles": 99},
            "there are no games with receptacles=99: needed are 1 (look_at_obj_in_light), 2 (pick_and_place_simple), ",
        ),
        (
            {"room": "bathroom", "task_type": PLACE, "receptacles": 99},
            f"there are no games with receptacles=99: needed are 2 ({PLACE}), and at most there are 28 (bathroom)",
        ),
        (
            {"task_type": TWO, "receptacles": 1},
            f"there are no games with receptacles=1: needed are 2 ({TWO}), and at most there are 40 (kitchen), ",
        ),
        (
            {"task_type": TWO, "objects": 4, "distractors": 2, "spares": 1},
            "there are no games with objects=4, distractors=2 and spares=1: beside these, "
            f"2 ({TWO}) are needed, and at most there are 100 objects",
        ),
        (
            {"distractors": 99, "spares": 1},
            "there are no games with objects=None, distractors=99 and spares=1: beside these, 1 (look_at_obj_in_light)",
        ),
        (
            {"objects": 101},
            "there are no games with objects=101, distractors=0 and spares=0: beside these, 1 (look_at_obj_in_light)",
        ),
        (
            {"task_type": (PLACE, LOOK), "min_solution": 6},
            f"there are no games with min_solution=6: the longest shortest solutions are 6 ({PLACE}), 5 ({LOOK})",
        ),
        ({"min_solution": 12}, "there are no games with min_solution=12: the longest shortest solutions are 5 (look_"),
        ({"task_type": []}, "there are no games with room=None and task_type=(): name at least one of each, or leave"),
        ({"room": ()}, "there are no games with room=() and task_type=None: "),
        ({"receptacles": 0}, "receptacles is a whole number from 1, got 0"),
        ({"objects": 2.5}, "objects is a whole number from 1, got 2.5"),
        ({"distractors": -1}, "distractors is a whole number from 0, got -1"),
        ({"spares": True}, "spares is a whole number from 0, got True"),
        ({"min_solution": None}, "min_solution is a whole number from 1, got None"),
    ],
)
def test_what_no_game_can_be_is_refused(asked: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        HouseSettings(**asked)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"room": "kitchn"}, "There is no kind of room 'kitchn'. Did you mean 'kitchen'?"),
        ({"room": {"a": 1}}, "There is no kind of room \"{'a': 1}\". Known: bathroom, bedroom, kitchen, livingroom."),
        ({"dialect": ["move"]}, "There is no dialect \"['move']\". Did you mean 'move'?"),
        ({"room": 3}, "There is no kind of room '3'."),
        ({"task_type": ["pick_two_obj"]}, "There is no ALFWorld task type 'pick_two_obj'. Did you mean"),
        ({"dialect": "drop"}, "There is no dialect 'drop'. Known: move, put."),
    ],
)
def test_unknown_names_are_refused(asked: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownIdError, match=re.escape(message)):
        HouseSettings(**asked)


def test_settings_are_values() -> None:
    asked = HouseSettings(room=["kitchen", "bathroom"], task_type=PLACE)
    assert asked == HouseSettings(room=("kitchen", "bathroom"), task_type=PLACE)
    assert msgspec.json.decode(msgspec.json.encode(asked), type=HouseSettings) == asked
    assert asked.version == HouseSettings(room=("kitchen", "bathroom"), task_type=PLACE).version
    assert asked.version != HouseSettings().version


def test_choices_keep_to_what_was_asked_for() -> None:
    assert set(choices(HouseSettings())) == set(TASK_TYPES)
    assert set(choices(HouseSettings(room="bedroom"))) == {LOOK, PLACE, TWO}
    assert set(choices(HouseSettings(min_solution=9))) == {TWO}
    assert set(choices(HouseSettings(receptacles=30, task_type=PLACE))[PLACE]) == {"kitchen", "livingroom", "bedroom"}
    alike = choices(HouseSettings(distractors=1, room="bedroom", task_type=PLACE))[PLACE]["bedroom"]
    assert {task.thing for task in alike} < {task.thing for task in possible_tasks("bedroom", PLACE)}
    assert all(lookalikes("bedroom", task.thing) for task in alike)
    shut = choices(HouseSettings(min_solution=11))[TWO]
    assert set(shut) == set(ROOMS)
    assert all(PLACES[task.place].door for tasks in shut.values() for task in tasks)
