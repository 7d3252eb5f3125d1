"""The game: rules, refusals, what is told, the oracle's promise."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.battleship import BattleshipEnv
from agentgym_critic.envs.battleship.env import _Hidden
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle


def at(rows: list[str], **changed: Any) -> BattleshipEnv:
    """A game in which letters are ships and dots are water."""
    letters = sorted(set("".join(rows)) - {"."})
    flat = "".join(rows)
    ships = [sum(1 << cell for cell, mark in enumerate(flat) if mark == letter) for letter in letters]
    fleet = [ship.bit_count() for ship in ships]
    env = BattleshipEnv(rows=len(rows), cols=len(rows[0]), fleet=fleet, **{"shots": len(flat), **changed})
    env.reset(seed=0)
    saved = env.snapshot()
    env.restore(saved._replace(world=(_Hidden(tuple(ships), (False, True) * 4), saved.world[1])))
    return env


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"questions": 15},
        {"rows": 4, "cols": 5, "fleet": [3, 2], "shots": 12, "questions": 2, "noise": 0.3, "hit_reward": 0.1},
        {"rows": 1, "cols": 6, "fleet": [1], "shots": 1, "max_steps": None},
        {"rows": 6, "cols": 6, "fleet": [3, 2, 2, 2, 2], "shots": 30, "max_steps": 30},
    ],
    ids=str,
)
def test_it_keeps_every_promise(changed: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Battleship-v0", **changed), steps=15)


def test_a_game() -> None:
    env = at(["AA.", "..B"], questions=2)
    observation, reward, terminated, _, info = env.step("fire A1")
    assert observation == (
        "A1: hit.\n\n  1 2 3\nA x . .\nB . . .\n\nShots left: 5. Ships afloat: 2, 1.\n"
        "Questions left: 2. Answers so far: none."
    )
    assert (reward, terminated, info["f1"]) == (0.0, False, pytest.approx(2 / 4))
    assert env.step("ask row A")[0].startswith("A ship in row A? Yes.\n")
    assert env.step("ask row A")[0].startswith("A ship in row A? No.\n")  # a wrong answer, and the last
    assert env.step("fire A3")[0].startswith("A3: water.\n\n  1 2 3\nA x . o\n")
    assert env.step("fire B3")[0].startswith("B3: hit. A ship of 1 cell is sunk.\n\n  1 2 3\nA x . o\nB . . #\n")
    observation, reward, terminated, truncated, info = env.step("fire A2")
    assert observation == (
        "A2: hit. A ship of 2 cells is sunk. All ships are sunk.\n\n  1 2 3\nA # # o\nB . . #\n\n"
        "Shots left: 2. Ships afloat: none.\nQuestions left: 0. Answers so far: row A yes, row A no."
    )
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    assert env.oracle() == Oracle(actions=(), steps_left=0)


def test_the_game_is_lost_without_shots() -> None:
    env = at(["A.", ".."], shots=1)
    observation, reward, terminated, _, info = env.step("fire B2")
    assert observation.startswith("B2: water. There are no shots left.\n")
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert env.oracle() is None


def test_hits_are_rewarded_if_asked_for() -> None:
    env = at(["AA..", "...."], hit_reward=0.25)
    assert [env.step(f"fire {cell}")[1] for cell in ("B1", "A1", "A2")] == [0.0, 0.25, 1.25]


def test_a_question_is_about_cells_not_shot_at() -> None:
    env = at(["A..", ".B."], questions=3)
    env.step("fire A1")
    assert env.step("ask row A")[0].startswith("A ship in row A? No.")


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("fire D1", "There is no cell 'D1'; cells are from A1 to B3."),
        ("fire a1", "There is no cell 'a1'; cells are from A1 to B3."),
        ("fire \uff211", "There is no cell '\uff211'; cells are from A1 to B3."),  # a wide A
        ("fire \u03911", "There is no cell '\u03911'; cells are from A1 to B3."),  # a Greek Alpha
        ("fire A1\nfire A2", "There is no cell 'A1 fire A2'; cells are from A1 to B3."),
        ("fire", "There is no cell ''; cells are from A1 to B3."),
        ("fire B1", "B1 was shot at before."),
        ("ask row C", "One cannot ask about 'row C'; ask about row A, row B, column 1, column 2, column 3, upper left, "
         "upper right, lower left or lower right."),
        ("ask column 1", "All cells of column 1 were shot at before."),
        ("A1", "There is no action 'A1'; write `fire` and a cell or `ask` and a region."),
        ("", "An action is at least one word, got an empty one."),
        ("fire " + "A" * 5_000, "An action has at most 1000 characters, got 5005."),
    ],
)  # fmt: skip
def test_what_is_illegal_is_explained(action: str, reason: str) -> None:
    env = at(["AA.", "..."], questions=1)
    for first in ("fire A1", "fire B1"):
        before = env.step(first)[4]
    observation, _, _, _, info = env.step(action)
    assert info["invalid_reason"] == reason
    assert observation.startswith(f"{reason}\n\n  1 2 3\nA x . .\n")
    assert info["state_key"] == before["state_key"]


def test_no_question_is_left_in_the_end() -> None:
    env = at(["AA.", "..."])
    assert env.step("ask row A")[4]["invalid_reason"] == "There are no questions left."
    assert env.step("row A")[4]["invalid_reason"] == "There is no action 'row A'; write `fire` and a cell."


def test_the_oracle_names_the_likeliest_cells() -> None:
    env = at(["AAA", "...", "..."])
    for shot in ("fire A1", "fire B2"):
        env.step(shot)
    chances = env.posterior().chances
    told = env.oracle()
    assert told is not None
    best = [(r, c) for r in range(3) for c in range(3) if (r, c) != (0, 0) and chances[r, c] == chances[1:].max()]
    assert (
        told.actions
        == tuple(f"fire {'ABC'[r]}{c + 1}" for r, c in best)
        == ("fire A2", "fire A3", "fire B1", "fire C1")
    )
    assert (told.exact, told.certain, told.steps_left) == (False, False, 2)
    assert told.value == chances[1:].max()


def test_the_oracle_knows_nothing_hidden() -> None:
    """The same picture gives the same advice, wherever the ships are."""
    one, other = at(["AAA...", "......"]), at(["...AAA", "......"])
    for env in (one, other):
        env.step("fire B3")
    assert one.oracle() == other.oracle()


def test_the_oracle_is_silent_once_too_few_shots_are_left() -> None:
    env = at(["AA.", "..."], shots=2)
    assert env.oracle() is not None
    env.step("fire B3")
    assert env.oracle() is None


def test_the_likeliest_shots_win_more_often_than_chance() -> None:
    won = {"oracle": 0, "random": 0}
    env, rng = BattleshipEnv(rows=5, cols=5, fleet=(3, 2, 2), shots=15), np.random.default_rng(0)
    for seed in range(40):
        for player in won:
            _, info = env.reset(seed=seed)
            while info["admissible_actions"]:
                told = env.oracle()
                actions = told.actions if told and player == "oracle" else info["admissible_actions"]
                _, _, _, _, info = env.step(actions[int(rng.integers(len(actions)))])
            won[player] += info["success"]
    assert won["oracle"] >= 30
    assert won["random"] <= 5


def test_the_option_board_fixes_the_fleet_and_not_the_lies() -> None:
    env = BattleshipEnv(questions=15, noise=0.4)
    worlds = []
    for seed in range(3):
        env.reset(seed=seed, options={"board": 5})
        worlds.append(env.snapshot().world[0])
    assert len({world.ships for world in worlds}) == 1
    assert len({world.lies for world in worlds}) == 3
    before = env.current()
    with pytest.raises(ConfigError, match="the option board is a whole number from 0, got -1"):
        env.reset(options={"board": -1})
    assert env.current() == before


def test_a_single_row_has_no_quarters() -> None:
    env = BattleshipEnv(rows=1, cols=8, fleet=[2], shots=8, questions=1)
    env.reset(seed=0)
    assert "ask upper left" not in env.current()[1]["admissible_actions"]
    assert env.step("ask upper left")[4]["invalid_reason"].startswith("One cannot ask about 'upper left'; ask about")
    assert not env.step("ask lower left")[4]["invalid_action"]


def test_answers_are_wrong_as_often_as_said() -> None:
    env = BattleshipEnv(questions=200, noise=0.1)
    lies = []
    for seed in range(20):
        env.reset(seed=seed)
        lies += env.snapshot().world[0].lies
    assert np.mean(lies) == pytest.approx(0.1, abs=0.02)


def test_a_snapshot_is_good_in_another_instance() -> None:
    env, other = BattleshipEnv(questions=2), BattleshipEnv(questions=2)
    env.reset(seed=1)
    env.step("fire C3")
    other.reset(seed=2)
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.current() == env.current()
    assert other.step("ask row A") == env.step("ask row A")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rows": 0}, "rows is a whole number from 1 to 26, got 0"),
        ({"cols": "8"}, "cols is a whole number, got '8'"),
        ({"rows": 10, "cols": 10}, "a board has at most 64 cells, got 10 x 10"),
        ({"fleet": []}, "a fleet has from 1 to 6 ships, got 0"),
        ({"fleet": [1] * 7}, "a fleet has from 1 to 6 ships, got 7"),
        ({"fleet": [9]}, "a ship is from 1 to 8 cells long on 8 x 8, got 9"),
        ({"fleet": [0]}, "a ship is from 1 to 8 cells long on 8 x 8, got 0"),
        ({"fleet": "54"}, r"fleet is a list of whole numbers, got '54'"),
        ({"fleet": [8, 8, 8, 8, 8]}, "ships take at most half of the board: 40 of 64 cells are too many"),
        ({"shots": 13}, "shots is from 14, the cells of the fleet, to 64, those of the board; got 13"),
        ({"shots": 65}, "shots is from 14, the cells of the fleet, to 64, those of the board; got 65"),
        ({"shots": 20.5}, "shots is a whole number, got 20.5"),
        ({"questions": -1}, "questions is a whole number from 0 to 200, got -1"),
        ({"noise": 0.5}, "noise is a chance from 0, below 0.5; got 0.5"),
        ({"noise": float("nan")}, "noise is a chance from 0, below 0.5; got nan"),
        ({"hit_reward": float("inf")}, "hit_reward is a finite number from 0, got inf"),
        ({"max_steps": 0}, "max_steps is at least 1"),
    ],
)
def test_impossible_settings_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Battleship-v0", **changed)


def test_a_fleet_that_is_not_found_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_critic.envs.battleship.waters.BATCHES", 0)
    with pytest.raises(
        ConfigError, match=r"no arrangement of the fleet \[2\] on 2 x 2 was found in 0 tries; take fewer"
    ):
        BattleshipEnv(rows=2, cols=2, fleet=[2], shots=2)


def test_nothing_is_played_before_reset() -> None:
    env = BattleshipEnv()
    for ask in (env.current, env.snapshot, env.oracle):
        with pytest.raises(EnvError, match=r"no board is played; call reset\(\) first"):
            ask()
