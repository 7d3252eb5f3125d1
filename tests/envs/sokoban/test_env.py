from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from golden.record_sokoban import FILE, recordings, written

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.base import Snapshot
from agentgym_critic.envs.sokoban import Level, SokobanEnv, format_level, parse_level
from agentgym_critic.envs.sokoban import env as env_module
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

ROOM = """\
######
#@-$.#
#-$$-#
#..--#
######"""


def at(text: str, **settings: Any) -> SokobanEnv:
    """An environment in which this level is being played."""
    level = parse_level(text)
    env = SokobanEnv(size=(level.rows, level.cols), boxes=level.boxes.bit_count(), **settings)
    env.restore(Snapshot((level, level.boxes, level.player), text, 0, True, False, ""))
    return env


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"size": 5, "max_steps": 12},
        {"size": (7, 6), "boxes": 2, "step_penalty": 0.02, "box_reward": 0.5, "deadlock_info": True},
        {"size": 8, "boxes": 3, "min_solution": 10, "max_steps": None},
        {"boxes": 2, "observation": "coordinates"},
        {
            "symbols": {"#": "W", "@": "#", "$": "\N{CJK UNIFIED IDEOGRAPH-7BB1}"},
            "actions": {"up": "down", "down": "up"},
        },
    ],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Sokoban-v0", **settings))


def test_a_level_too_large_to_be_searched_to_the_end_keeps_every_promise() -> None:
    env = SokobanEnv(size=(10, 10), boxes=4)
    check_text_env(env, seeds=(0, 1), steps=10)
    env.reset(seed=0)
    assert not env._stage.solver.finished


def test_the_golden_episodes_are_the_recorded_ones() -> None:
    how = "Sokoban changed; if that is meant: python tests/golden/record_sokoban.py, and raise env_version"
    assert written(recordings()) == FILE.read_text(encoding="utf-8"), how


def test_an_observation_is_the_picture_and_the_task_explains_it() -> None:
    env = at(ROOM)
    observation, info = env.current()
    assert observation == ROOM
    assert info["task"] == (
        "Push the 3 boxes onto the 3 targets. You move down, left, right or up. Walking into a box pushes it if the "
        "cell behind it is free; a box cannot be pulled. Symbols: # wall, - floor, . target, $ box, * box on a "
        "target, @ you, + you on a target."
    )
    assert info["admissible_actions"] == ["down", "right"]
    assert env.step("down")[0] == "######\n#--$.#\n#@$$-#\n#..--#\n######"
    assert at("#####\n#@$.#\n#####").current()[1]["task"].startswith("Push the box onto the target. You ")


@pytest.mark.parametrize(
    ("text", "action", "reason"),
    [
        (ROOM, "left", "There is a wall to the left."),
        (ROOM, "up", "There is a wall above you."),
        ("#####\n#@--#\n#####\n#$.-#\n#####", "down", "There is a wall below you."),
        ("#####\n#$.@#\n#####", "right", "There is a wall to the right."),
        ("######\n#.@$-#\n######", "right", ""),
        ("#####\n#.@$#\n#####", "right", "The box to the right cannot move: a wall is behind it."),
        ("######\n#..@##\n#--$-#\n#--$-#\n######", "down", "The box below you cannot move: another box is behind it."),
        (
            "######\n#*$@##\n#----#\n#---.#\n######",
            "left",
            "The box to the left cannot move: another box is behind it.",
        ),
        ("####\n#$-#\n#@.#\n####", "up", "The box above you cannot move: a wall is behind it."),
        (ROOM, "jump", "There is no action 'jump'; the actions are down, left, right, up."),
        (ROOM, "Down", "There is no action 'Down'; the actions are down, left, right, up."),
        (ROOM, "x" * 99, f"There is no action '{'x' * 50}'; the actions are down, left, right, up."),
    ],
)
def test_what_is_illegal_is_explained(text: str, action: str, reason: str) -> None:
    env = at(text)
    before = env.current()[1]
    observation, _, _, _, info = env.step(action)
    assert info["invalid_reason"] == reason
    assert (action in before["admissible_actions"]) == (not reason)
    if reason:
        assert observation == f"{reason}\n\n{text}"
        assert info["state_key"] == before["state_key"]


def test_rewards_add_up_as_documented() -> None:
    text = "#######\n#@$.--#\n#-$.--#\n#######"
    env = at(text, step_penalty=0.01, box_reward=0.25)
    assert env.step("right")[1] == pytest.approx(0.25 - 0.01)
    assert env.step("right")[1] == pytest.approx(-0.25 - 0.01)
    assert env.step("up")[1] == pytest.approx(-0.01)
    plain = at("#####\n#@$.#\n#####")
    assert plain.step("right")[1:4] == (1.0, True, False)
    assert at(text).step("right")[1] == 0.0


def test_after_success_nothing_is_left_to_do() -> None:
    env = at("#####\n#@$.#\n#####")
    assert env.oracle() == Oracle(actions=("right",), steps_left=1)
    observation, _, terminated, _, info = env.step("right")
    assert (observation, terminated, info["success"]) == ("#####\n#-@*#\n#####", True, True)
    assert env.oracle() == Oracle(actions=(), steps_left=0)
    assert env.deadlocked() is False


def test_the_oracle_names_all_optimal_actions() -> None:
    env = at("######\n#@---#\n#--$-#\n#--.-#\n######")
    assert env.oracle() == Oracle(actions=("right",), steps_left=3)
    assert at("######\n#----#\n#@-$-#\n#--.-#\n######").oracle() == Oracle(actions=("right", "up"), steps_left=4)


@pytest.mark.parametrize("deadlock_info", [False, True])
def test_a_deadlock_is_played_on_and_told_only_if_asked(deadlock_info: bool) -> None:
    env = at("######\n#--$@#\n#-.--#\n######", deadlock_info=deadlock_info)
    assert env.deadlocked() is True
    assert env.oracle() is None
    _, _, terminated, truncated, info = env.step("left")
    assert (terminated, truncated) == (False, False)
    assert ("deadlock" in info) == deadlock_info
    env = SokobanEnv(deadlock_info=deadlock_info)
    assert env.reset(seed=0)[1].get("deadlock", False) is False
    assert env.deadlocked() is False


def test_a_search_given_up_is_neither_solvable_nor_a_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    level = parse_level("########\n#@-----#\n#-$--$-#\n#-.--.-#\n#------#\n########")
    limited = env_module.Solver(level, backward_limit=0, forward_limit=1)
    monkeypatch.setattr(env_module, "Solver", lambda level: limited)
    env = at(format_level(level), deadlock_info=True)
    assert env.oracle() is None
    assert env.deadlocked() is None
    assert env.step("down")[4]["deadlock"] is None


def test_episodes_are_of_the_asked_kind() -> None:
    env = SokobanEnv(size=(6, 8), boxes=2, min_solution=9, max_steps=15)
    for seed in range(30):
        observation, _ = env.reset(seed=seed)
        known = env.oracle()
        assert known
        assert 9 <= known.steps_left <= 15
        assert [len(line) for line in observation.split("\n")] == [8] * 6
        assert format_level(env.level) == observation


def test_ids_are_equal_exactly_for_equal_levels() -> None:
    env = SokobanEnv()
    seen: dict[str, Level] = {}
    for seed in range(200):
        _, info = env.reset(seed=seed)
        assert seen.setdefault(info["task_id"], env.level) == env.level
    assert len(set(seen.values())) == len(seen)
    assert all(task_id.startswith("6x6-1-") for task_id in seen)


def test_state_keys_are_equal_exactly_for_equal_states() -> None:
    env, seen = SokobanEnv(size=5), {}
    for seed in range(40):
        rng = random.Random(seed)
        observation, info = env.reset(seed=seed)
        while info["admissible_actions"]:
            assert seen.setdefault(info["state_key"], observation) == observation
            observation, _, _, _, info = env.step(rng.choice(info["admissible_actions"]))
    assert len(set(seen.values())) == len(seen)


def test_a_snapshot_is_good_in_another_instance_and_another_level() -> None:
    env = SokobanEnv(size=(6, 7), boxes=2)
    env.reset(seed=3)
    env.step("up")
    saved, expected, known = env.snapshot(), env.current(), env.oracle()
    other = SokobanEnv()
    other.reset(seed=8)
    for target in (env, other, SokobanEnv()):
        if target is env:
            env.reset(seed=4)
        target.restore(pickle.loads(pickle.dumps(saved)))
        assert target.current() == expected
        assert target.oracle() == known
        assert known
        assert target.step(known.actions[0])[4]["invalid_action"] is False


def test_nothing_is_played_before_reset() -> None:
    env = SokobanEnv()
    for ask in (env.current, env.snapshot, env.oracle, env.deadlocked, lambda: env.level):
        with pytest.raises(EnvError, match=r"no level is played; call reset\(\) first"):
            ask()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": (6, 6, 6)}, r"size is rows and columns, or one number for both; got \(6, 6, 6\)"),
        ({"size": "66"}, r"size is rows and columns, or one number for both; got '66'"),
        ({"size": 6.5}, r"size is rows and columns, or one number for both; got 6.5"),
        ({"size": np.array([6, 7.5])}, r"size is rows and columns, or one number for both; got array\("),
        ({"size": 2}, r"size counts the walls: from 3 to 50 rows and columns, got 2 x 2"),
        ({"boxes": 1.5}, r"boxes is a whole number or None, got 1.5"),
        ({"min_solution": "5"}, r"min_solution is a whole number or None, got '5'"),
        ({"boxes": 40}, r"boxes is at least 1, and leaves room to move: at most 14 in a level of 6 x 6; got 40"),
        ({"min_solution": 60}, r"min_solution=60 moves fits into 50 steps; raise max_steps or lower min_solution"),
        ({"step_penalty": -1.0}, r"step_penalty is a finite number from 0, got -1.0"),
        ({"box_reward": float("nan")}, r"box_reward is a finite number from 0, got nan"),
        ({"max_steps": 0}, r"max_steps is at least 1"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Sokoban-v0", **settings)


def test_the_size_may_be_an_array() -> None:
    assert SokobanEnv(size=np.array([6, 8])).reset(seed=3) == SokobanEnv(size=(6, 8)).reset(seed=3)


def test_a_level_that_does_not_exist_is_refused_in_time() -> None:
    env = SokobanEnv(min_solution=49)
    with pytest.raises(ConfigError, match=r"no level of 6 x 6 with boxes=1 and min_solution=49 was found in 200"):
        env.reset(seed=0)
    with pytest.raises(EnvError, match="never started"):
        env.step("up")


def test_options_do_not_exist() -> None:
    with pytest.raises(ConfigError, match=r"options of an episode of SokobanEnv do not exist; got \['level'\]"):
        SokobanEnv().reset(options={"level": 1})


def test_it_is_registered() -> None:
    env = gymnasium.make("agentgym_critic/Sokoban-v0", size=7, render_mode="ansi")
    assert isinstance(env.unwrapped, SokobanEnv)
    assert env.reset(seed=0)[0] == env.render()


TWO_LEVELS = "; 1\n#####\n#@$.#\n#####\n\n  ####\n###  #\n#.$@ #\n######\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.txt"
    path.write_text(TWO_LEVELS)
    return path


@pytest.mark.parametrize("settings", [{}, {"observation": "coordinates", "actions": {"left": "west"}}], ids=str)
def test_levels_of_a_file_keep_every_promise(file: Path, settings: dict[str, Any]) -> None:
    env = make_env("agentgym_critic/Sokoban-v0", levels=str(file), **settings)
    check_text_env(env, seeds=tuple(range(6)))


def test_the_seed_or_an_option_picks_the_level_of_a_file(file: Path) -> None:
    env = SokobanEnv(levels=str(file), max_steps=3)
    first, second = "#####\n#@$.#\n#####", "######\n###--#\n#.$@-#\n######"
    assert env.reset(seed=0, options={"level": 1})[0] == first
    assert env.reset(seed=0, options={"level": 2})[0] == second
    picked = [env.reset(seed=seed)[0] for seed in range(30)]
    assert set(picked) == {first, second}
    assert picked == [env.reset(seed=seed)[0] for seed in range(30)]


@pytest.mark.parametrize("number", [0, 3, "1", True, 1.0, None])
def test_a_level_that_the_file_lacks_is_refused(file: Path, number: object) -> None:
    env = SokobanEnv(levels=str(file))
    before = env.reset(seed=0)
    with pytest.raises(ConfigError, match=f"level is a number from 1 to 2, got {number!r}"):
        env.reset(options={"level": number})
    assert env.current() == before
    with pytest.raises(ConfigError, match=r"options of an episode of SokobanEnv are \['level'\]; got \['size'\]"):
        env.reset(options={"size": 5})


def test_renamed_things_are_drawn_told_and_obeyed() -> None:
    names = {
        "actions": {"down": "up", "up": "down", "right": "east"},
        "symbols": {"#": "W", "@": "#", ".": "$", "$": "."},
    }
    env = at(ROOM, **names)
    assert env._view() == "WWWWWW\nW#-.$W\nW-..-W\nW$$--W\nWWWWWW"
    assert env.current()[1]["task"] == (
        "Push the 3 boxes onto the 3 targets. You move up (moves down), left, east (moves right) or down (moves up). "
        "Walking into a box pushes it if the cell behind it is free; a box cannot be pulled. Symbols: W wall, - floor, "
        "$ target, . box, * box on a target, # you, + you on a target."
    )
    assert env.current()[1]["admissible_actions"] == ["up", "east"]
    known = at(ROOM).oracle()
    assert known
    assert env.oracle() == Oracle(
        actions=tuple({"down": "up", "right": "east"}[action] for action in known.actions),
        steps_left=known.steps_left,
    )
    assert env.step("down")[4]["invalid_reason"] == "There is a wall above you."
    assert env.step("right")[4]["invalid_reason"] == (
        "There is no action 'right'; the actions are up, left, east, down."
    )
    assert env.step("up")[0] == "WWWWWW\nW--.$W\nW#..-W\nW$$--W\nWWWWWW"


def test_renaming_changes_no_game() -> None:
    plain, renamed = SokobanEnv(boxes=2), SokobanEnv(boxes=2, actions={"up": "n"}, observation="coordinates")
    for seed in range(10):
        rng = random.Random(seed)
        left, right = plain.reset(seed=seed)[1], renamed.reset(seed=seed)[1]
        while left["admissible_actions"]:
            assert [left[key] for key in ("state_key", "task_id")] == [right[key] for key in ("state_key", "task_id")]
            action = rng.choice(left["admissible_actions"])
            left, right = plain.step(action)[4], renamed.step({"up": "n"}.get(action, action))[4]


def test_coordinates_are_explained() -> None:
    env = at("#####\n#@$.#\n#####", observation="coordinates")
    assert env.current()[1]["task"] == (
        "Push the box onto the target. You move down, left, right or up. Walking into a box pushes it if the cell "
        "behind it is free; a box cannot be pulled. A place is (row, column); rows are counted from the top, columns "
        "from the left. A box that is on a target is listed with the boxes and the target with the targets."
    )
    assert env.step("up")[0] == (
        "There is a wall above you.\n\nRows 1 to 3, columns 1 to 5.\nWalls: the border.\nTargets: (2, 4).\n"
        "Boxes: (2, 3).\nYou: (2, 2)."
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"observation": "pictures"}, "observation is 'symbols' or 'coordinates', got 'pictures'"),
        (
            {"observation": "coordinates", "symbols": {"#": "W"}},
            "symbols has no effect with observation='coordinates', which draws none; leave one out",
        ),
        ({"actions": {"up": "left"}}, "'left' and 'up' would both be 'left'"),
        ({"levels": "no such file"}, "levels are read from a file; no such file does not exist"),
        (
            {"levels": "no such file", "boxes": 2, "size": 7},
            "the levels of a file are as they are; leave out size=7, boxes=2, or levels",
        ),
    ],
)
def test_impossible_views_and_files_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Sokoban-v0", **settings)


def test_a_room_full_of_boxes_is_refused_without_a_search() -> None:
    env = SokobanEnv(size=50, boxes=2302)
    with pytest.raises(ConfigError, match="in 200 random rooms: the boxes fit into none"):
        env.reset(seed=0)
