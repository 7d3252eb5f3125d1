from __future__ import annotations

import pickle
import random
from typing import Any

import gymnasium
import pytest
from game2048_rules import WAYS, after, levels, value

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.base import Snapshot
from agentgym_critic.envs.game2048 import ActionValues, Game2048Env
from agentgym_critic.envs.game2048.env import _World
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle


def at(rows: list[list[int]], **settings: Any) -> Game2048Env:
    """An environment with this board."""
    env = Game2048Env(size=len(rows), **settings)
    env.restore(Snapshot(_World(levels(rows), 0, 9, 77), "", 0, True, False, ""))
    return env


@pytest.mark.parametrize(
    "settings",
    [
        {"max_steps": 60},
        {"size": 3, "target": 64, "merge_reward": 0.01},
        {"size": 2, "target": 16, "depth": None},
        {"size": 5, "target": 96, "base": 3, "depth": 1, "max_steps": None},
    ],
    ids=str,
)
def test_it_keeps_every_promise(settings: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Game2048-v0", **settings))


def test_an_observation_is_the_score_and_the_board_and_the_task_explains_them() -> None:
    env = at([[2, 0, 0, 4], [0, 0, 0, 0], [0, 1024, 0, 0], [0, 0, 0, 0]])
    assert env._view() == (
        "Score 0\n   2    .    .    4\n   .    .    .    .\n   . 1024    .    .\n   .    .    .    ."
    )
    assert env.current()[1]["task"] == (
        "Make a tile of 2048. You move down, left, right or up: all tiles slide that way as far as they can. Two equal "
        "tiles that meet merge into one of their sum, which is added to the score; a tile merges once a move, the "
        "foremost first. A move that changes nothing is not possible. After each move a tile of 2 (nine times in ten) "
        "or 4 appears on a random empty cell. The game is lost when no move is possible. A dot is an empty cell."
    )
    threes = Game2048Env(base=3, target=3072)
    assert "Make a tile of 3072." in threes.reset(seed=0)[1]["task"]
    assert "a tile of 3 (nine times in ten) or 6 appears" in threes.current()[1]["task"]
    assert {number for row in threes.board for number in row} <= {0, 3, 6}


def test_the_start_of_a_seed_is_recorded() -> None:
    """A change means that all seeds are other games: raise `env_version`, and say so in the changelog."""
    env = Game2048Env()
    start = "Score 0\n   .    .    .    .\n   2    .    .    .\n   .    .    .    .\n   .    .    2    ."
    observation, info = env.reset(seed=0)
    assert observation == start
    assert info["task_id"] == "4x4-2048-a30febcfd9c2825f"
    assert env.step("up")[0] == (
        "Score 0\n   2    .    2    .\n   .    .    .    .\n   .    .    .    2\n   .    .    .    ."
    )


def test_each_column_is_as_wide_as_the_target() -> None:
    env = at([[4, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4], target=131072)
    assert env._view().split("\n")[1] == "     4      .      .      ."


def test_a_game_is_the_plain_game_with_a_tile_more_each_move() -> None:
    env = Game2048Env(size=3, target=128, merge_reward=0.5)
    for seed in range(20):
        env.reset(seed=seed)
        assert sum(number > 0 for row in env.board for number in row) == 2
        rng, over = random.Random(seed), False
        while not over:
            board, score, action = env.board, env.score, rng.choice(WAYS)
            expected, points = after(board, action)
            _, reward, over, _, info = env.step(action)
            grown = [
                (was, now)
                for left, right in zip(expected, env.board, strict=True)
                for was, now in zip(left, right, strict=True)
                if was != now
            ]
            assert info["invalid_action"] == (expected == board)
            assert grown in ([[]] if expected == board else [[(0, 2)], [(0, 4)]])
            won = any(128 in row for row in env.board)
            assert (env.score - score, reward) == (points, won + 0.5 * points)
            stuck = all(after(env.board, way)[0] == env.board for way in WAYS)
            assert (over, info["success"]) == (won or stuck, won)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("left", "Moving left changes nothing: no tile can slide or merge that way. Possible: right."),
        ("jump", "There is no action 'jump'; the actions are down, left, right, up."),
        ("Right", "There is no action 'Right'; the actions are down, left, right, up."),
        (
            "\N{CYRILLIC SMALL LETTER ER}ight",
            "There is no action 'рight'; the actions are down, left, right, up. Yours has the character U+0440 "  # noqa: RUF001
            "(CYRILLIC SMALL LETTER ER).",
        ),
        ("right\nright", "There is no action 'right right'; the actions are down, left, right, up."),
        ("x" * 99, f"There is no action '{'x' * 50}'; the actions are down, left, right, up."),
        ("", "An action is at least one word, got an empty one."),
        ("right" * 1000, "An action has at most 1000 characters, got 5000."),
    ],
)
def test_what_is_illegal_is_explained_and_changes_nothing(action: str, reason: str) -> None:
    env = at([[2, 0, 0], [4, 0, 0], [8, 0, 0]], target=64)
    before, view = env.current()[1], env._view()
    assert before["admissible_actions"] == ["right"]
    observation, reward, *_, info = env.step(action)
    assert (observation, reward, info["invalid_reason"]) == (f"{reason}\n\n{view}", 0.0, reason)
    assert info["state_key"] == before["state_key"]


def test_the_game_ends_with_the_target_or_without_a_move() -> None:
    won = at([[4, 4], [2, 0]], target=8)
    assert won.step("left")[1:4] == (1.0, True, False)
    assert won.current()[1]["success"]
    assert won.oracle() == Oracle(actions=(), steps_left=0, certain=False, value=1.0)
    assert won.action_values() == ActionValues({}, exact=True)
    assert won.monte_carlo_values() == {}
    lost = at([[4, 8], [16, 4]], target=32)
    assert lost.current()[1]["admissible_actions"] == []
    assert lost.oracle() is None
    ending = at([[8, 4, 2], [4, 2, 16], [2, 4, 4]], target=64)
    observation, reward, terminated, truncated, info = ending.step("left")
    assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False)
    assert observation.startswith("Score 8\n")


def test_the_tiles_to_come_are_part_of_the_state() -> None:
    env = Game2048Env()
    keys: dict[str, Any] = {}
    for seed in range(30):
        rng = random.Random(seed)
        _, info = env.reset(seed=seed)
        for _ in range(20):
            assert keys.setdefault(info["state_key"], env._get_world()) == env._get_world()
            info = env.step(rng.choice(info["admissible_actions"]))[4]
    assert len(set(keys.values())) == len(keys) == 600
    world = env._get_world()
    for changed in (world._replace(key=1), world._replace(tiles=99), world._replace(score=1)):
        env._set_world(changed)
        assert env._state_key() not in keys


def test_a_snapshot_is_good_in_another_instance() -> None:
    env, other = Game2048Env(), Game2048Env()
    env.reset(seed=3)
    saved = pickle.loads(pickle.dumps(env.snapshot()))
    ahead = [env.step(action)[0] for action in ("up", "left", "down", "right") * 5]
    other.restore(saved)
    assert [other.step(action)[0] for action in ("up", "left", "down", "right") * 5] == ahead


def test_the_oracle_of_a_small_board_is_exact() -> None:
    env = Game2048Env(size=2, target=16, depth=None)
    for seed in range(10):
        env.reset(seed=seed)
        told = env.oracle()
        assert told
        assert told.exact
        assert not told.certain
        assert told.value == pytest.approx(value(env.board, 16))


def test_following_an_exact_oracle_succeeds_as_often_as_it_says() -> None:
    """300 games: three standard deviations of a share are at most 8.7 %."""
    env, promised, made = Game2048Env(size=2, target=16, depth=None), 0.0, 0
    for seed in range(300):
        _, info = env.reset(seed=seed)
        told = env.oracle()
        assert told
        assert told.value is not None
        promised += told.value
        while told and told.actions:
            info = env.step(told.actions[0])[4]
            told = env.oracle()
        made += info["success"]
    assert abs(promised - made) / 300 < 0.087


def test_no_way_is_shorter_than_the_oracle_says() -> None:
    for target in (8, 16, 32):
        for seed in range(5):
            env, promised = Game2048Env(size=3, target=target), []
            env.reset(seed=seed)
            while (told := env.oracle()) and told.actions:
                promised.append(told.steps_left)
                env.step(told.actions[0])
            assert env.current()[1]["success"]
            assert all(fewest <= len(promised) - taken for taken, fewest in enumerate(promised))
    assert at([[4, 4], [2, 0]], target=8).oracle().steps_left == 1


def test_values_are_told_for_legal_actions_at_any_depth() -> None:
    env = at([[2, 0, 0], [4, 0, 0], [8, 0, 0]], target=64, depth=2)
    assert list(env.action_values().values) == ["right"]
    assert env.action_values() == env.action_values(depth=2) != env.action_values(depth=1)
    assert list(env.monte_carlo_values(rollouts=5)) == ["right"]


def test_monte_carlo_values_follow_from_their_seed_and_leave_the_game_alone() -> None:
    env = Game2048Env(size=3, target=64)
    env.reset(seed=1)
    before = env.snapshot()
    first = env.monte_carlo_values(rollouts=30, seed=4)
    assert env.snapshot() == before
    assert env.monte_carlo_values(rollouts=30, seed=4) == first
    assert env.monte_carlo_values(rollouts=30, seed=5) != first
    assert all(each.low <= each.mean <= each.high and each.rollouts == 30 for each in first.values())
    points = at([[4, 4], [2, 0]], target=32).monte_carlo_values(horizon=1, rollouts=2)
    assert points["left"].mean == 8.0
    assert at([[4, 4], [2, 0]], target=8).monte_carlo_values(measure="success")["left"].mean == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 1}, "size is a whole number from 2 to 8, got 1"),
        ({"size": 9}, "size is a whole number from 2 to 8, got 9"),
        ({"size": 4.0}, "size is a whole number, got 4.0"),
        ({"size": True}, "size is a whole number, got True"),
        ({"size": [4, 4]}, r"size is a whole number, got \[4, 4\]"),
        ({"base": 0}, "base is a whole number from 1 to 1000, got 0"),
        (
            {"size": 2, "target": 64},
            "target is 2 doubled at least twice: from 8 to 32 on a board of 2 x 2, for example 32; got 64",
        ),
        (
            {"target": 100},
            "target is 2 doubled at least twice: from 8 to 131072 on a board of 4 x 4, for example 128; got 100",
        ),
        ({"target": 4}, "from 8 to 131072 on a board of 4 x 4, for example 128; got 4"),
        ({"target": "2048"}, "got '2048'"),
        ({"target": 2048, "base": 3}, "target is 3 doubled at least twice: from 12 to 196608 on a board of 4 x 4"),
        ({"depth": 0}, "depth is a whole number from 1 to 6, got 0"),
        ({"depth": 7}, "depth is a whole number from 1 to 6, got 7"),
        ({"depth": None}, "depth=None looks to the end of the game, which only a size of 2 allows; got size=4"),
        ({"merge_reward": -1.0}, "merge_reward is a finite number from 0, got -1.0"),
        ({"merge_reward": float("inf")}, "merge_reward is a finite number from 0, got inf"),
        ({"max_steps": 0}, "max_steps is at least 1"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Game2048-v0", **settings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "fun"}, "measure is 'score' or 'success', got 'fun'"),
        ({"rollouts": 1}, "rollouts is a whole number from 2 to 10000000, got 1"),
        ({"horizon": 0}, "horizon is a whole number from 1 to 10000000, got 0"),
        ({"discount": 0.0}, "discount is above 0 and at most 1, got 0.0"),
        ({"discount": 1.5}, "discount is above 0 and at most 1, got 1.5"),
        ({"confidence": 1.0}, "confidence is between 0 and 1, got 1.0"),
    ],
)
def test_impossible_rollouts_are_refused(arguments: dict[str, Any], message: str) -> None:
    env = Game2048Env()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=message):
        env.monte_carlo_values(**arguments)


def test_nothing_is_played_before_reset() -> None:
    env = Game2048Env()
    asks = (env.current, env.snapshot, env.oracle, env.action_values, env.monte_carlo_values, lambda: env.board)
    for ask in (*asks, lambda: env.score):
        with pytest.raises(EnvError, match=r"no game is played; call reset\(\) first"):
            ask()


def test_it_is_registered() -> None:
    env = gymnasium.make("agentgym_critic/Game2048-v0", size=3, target=256, render_mode="ansi")
    assert isinstance(env.unwrapped, Game2048Env)
    assert env.reset(seed=0)[0] == env.render()
