from __future__ import annotations

from typing import Any

import pytest

from agentgym_critic.envs.babyai.levels import level_state
from agentgym_critic.envs.babyai.words import ACTIONS, COLOURS, KINDS, STATES, describe, goal, refusal
from agentgym_critic.errors import require


def test_numbers_mean_what_they_mean_in_minigrid() -> None:
    constants = require("minigrid.core.constants", "babyai", "a test")
    actions = require("minigrid.core.actions", "babyai", "a test").Actions
    assert dict(enumerate(KINDS)) == constants.IDX_TO_OBJECT
    assert dict(enumerate(COLOURS)) == constants.IDX_TO_COLOR
    assert {name: number for number, name in enumerate(STATES)} == constants.STATE_TO_IDX
    assert list(ACTIONS.values()) == [
        actions.left,
        actions.right,
        actions.forward,
        actions.pickup,
        actions.drop,
        actions.toggle,
    ]


@pytest.mark.parametrize(
    ("things", "carrying", "lines"),
    [
        (
            {},
            "",
            ["You face east. In front of you is nothing.", "You see no objects.", "You carry nothing.",
             "Walls: 5 ahead, 3 to the right."],
        ),
        (
            {(3, 4): "red ball", (4, 3): "blue key", (2, 5): "grey box"},
            "purple key",
            ["You face east. In front of you is a red ball.",
             "You see a grey box 1 to the right; a red ball 1 ahead; a blue key 2 ahead and 1 to the left.",
             "You carry a purple key.", "Walls: 5 ahead, 3 to the right."],
        ),
        (
            {(3, 4): "green door open", (6, 4): "yellow door locked", (5, 6): "red door"},
            "",
            ["You face east. In front of you is an open green door.",
             "You see an open green door 1 ahead; a locked yellow door 4 ahead; a closed red door 3 ahead and 2 to the "
             "right.", "You carry nothing.", "Walls: 5 ahead, 3 to the right."],
        ),
    ],
)  # fmt: skip
def test_the_view_is_described(empty_room: Any, things: dict[Any, str], carrying: str, lines: list[str]) -> None:
    env = empty_room(things, carrying)
    assert describe(env, env.gen_obs()).splitlines() == lines


def test_what_is_behind_a_closed_door_is_not_seen(empty_room: Any) -> None:
    wall = {(3, row): "grey door" for row in range(1, 7)}
    env = empty_room({**wall, (5, 4): "red ball"})
    assert "red ball" not in describe(env, env.gen_obs())
    env = empty_room({**wall, (3, 4): "grey door open", (5, 4): "red ball"})
    assert "a red ball 3 ahead" in describe(env, env.gen_obs())


@pytest.mark.parametrize(("direction", "word"), list(enumerate(["east", "south", "west", "north"])))
def test_directions_are_those_of_the_picture(empty_room: Any, direction: int, word: str) -> None:
    env = empty_room({(3, 3): "red ball"})
    env.agent_dir = direction
    assert describe(env, env.gen_obs()).startswith(f"You face {word}. ")
    side = {"east": "left", "north": "right"}.get(word)
    assert (f"a red ball 1 ahead and 1 to the {side}" in describe(env, env.gen_obs())) == (side is not None)


@pytest.mark.parametrize(
    ("front", "carrying", "action", "reason"),
    [
        ("", "", "turn left", ""),
        ("", "", "turn right", ""),
        ("", "", "go forward", ""),
        ("grey door open", "", "go forward", ""),
        ("grey door", "", "go forward", "In front of you is a closed grey door."),
        ("red ball", "", "go forward", "In front of you is a red ball."),
        ("red ball", "", "pick up", ""),
        ("red box", "", "pick up", ""),
        ("", "", "pick up", "There is nothing to pick up in front of you."),
        ("grey door", "", "pick up", "There is nothing to pick up in front of you."),
        ("red ball", "blue key", "pick up", "You already carry a blue key; drop it first."),
        ("", "blue key", "drop", ""),
        ("", "", "drop", "You carry nothing."),
        ("grey door open", "blue key", "drop", "There is no room to drop it: in front of you is an open grey door."),
        ("grey door", "", "toggle", ""),
        ("grey door open", "", "toggle", ""),
        ("red box", "", "toggle", ""),
        ("grey door locked", "", "toggle", "The grey door is locked; its key is grey too."),
        ("grey door locked", "red key", "toggle", "The grey door is locked; its key is grey too."),
        ("grey door locked", "grey ball", "toggle", "The grey door is locked; its key is grey too."),
        ("grey door locked", "grey key", "toggle", ""),
        ("", "", "toggle", "There is nothing to open or close in front of you."),
        ("red ball", "", "toggle", "There is nothing to open or close in front of you."),
    ],
)
def test_what_would_change_nothing_is_refused(
    empty_room: Any, front: str, carrying: str, action: str, reason: str
) -> None:
    env = empty_room({(3, 4): front} if front else {}, carrying)
    assert refusal(env, action) == reason
    before = level_state(env)
    env.step(ACTIONS[action])
    assert (level_state(env) == before) == bool(reason)


def test_a_wall_in_front_is_named(empty_room: Any) -> None:
    env = empty_room()
    env.agent_pos = (6, 4)
    assert refusal(env, "go forward") == "In front of you is a wall."
    assert describe(env, env.gen_obs()).startswith("You face east. In front of you is a wall.")


def test_the_mission_comes_first(empty_room: Any) -> None:
    env = empty_room()
    env.mission = "go to the red ball"
    assert goal(env).startswith("Go to the red ball. You see only what is in front of you and beside you. ")
