"""Oracles of the board games against plain minimax, and what holds for all of the games."""

from __future__ import annotations

import random
from typing import Any

import pytest
from board_rules import Rules, Solver, edges, lines, read
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.boards import BoardEnv, ConnectFourEnv, HexEnv, TicTacToeEnv, analyse
from agentgym_critic.envs.boards.judge import judge
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Action, Oracle, Turn

SMALL: dict[str, tuple[type[BoardEnv], dict[str, Any], Solver]] = {
    "tictactoe": (TicTacToeEnv, {}, Solver(Rules(3, 3, False, lines(3)))),
    "connect3": (ConnectFourEnv, {"rows": 3, "columns": 4, "connect": 3}, Solver(Rules(3, 4, True, lines(3)))),
    "connect4": (ConnectFourEnv, {"rows": 3, "columns": 4}, Solver(Rules(3, 4, True, lines(4)))),
    "hex2": (HexEnv, {"size": 2}, Solver(Rules(2, 2, False, edges(2)))),
    "hex3": (HexEnv, {"size": 3}, Solver(Rules(3, 3, False, edges(3)))),
}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SMALL)), st.integers(0, 10_000), st.integers(0, 6))
def test_the_oracle_is_plain_minimax(name: str, seed: int, moves: int) -> None:
    kind, options, solver = SMALL[name]
    env = kind(**options)
    _, info = env.reset(seed=seed)
    rng = random.Random(seed)
    for _ in range(moves):
        if not info["admissible_actions"]:
            break
        info = env.step(rng.choice(info["admissible_actions"]))[4]
    observation, info = env.current()
    board, told = read(observation, solver.rules), env.oracle()
    value, left = solver.outcome(board)
    if not info["admissible_actions"]:
        assert told == (Oracle(actions=(), steps_left=0) if info["success"] else None)
        return
    assert told
    best = {_label(env, solver.rules, cell) for cell in solver.best(board)}
    assert set(told.actions) == best
    assert (told.value, told.steps_left, told.exact, told.certain) == (value, (left + 1) // 2, True, False)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SMALL)), st.integers(0, 10_000))
def test_a_game_ends_as_the_plain_rules_say(name: str, seed: int) -> None:
    kind, options, solver = SMALL[name]
    rules = solver.rules
    env, rng = kind(**options), random.Random(seed)
    observation, info = env.reset(seed=seed)
    while actions := info["admissible_actions"]:
        board = read(observation, rules)
        assert {_label(env, rules, cell) for cell in rules.moves(board)} == set(actions)
        assert not rules.won_by(board, "X")
        assert not rules.won_by(board, "O")
        observation, reward, terminated, _, info = env.step(rng.choice(actions))
    board, mine = read(observation, rules), "X" if "You play X" in info["task"] else "O"
    won, lost = rules.won_by(board, mine), rules.won_by(board, "O" if mine == "X" else "X")
    assert (reward, terminated, info["success"]) == (won - lost, True, won)
    last = {1: "You have won.", 0: "The game is drawn.", -1: "You have lost."}[won - lost]
    assert observation.endswith(last)
    if not won and not lost:
        assert len(board) == rules.rows * rules.columns


@pytest.mark.parametrize("opponent", ["random", "minimax", "mcts"])
@pytest.mark.parametrize("name", sorted(SMALL))
def test_following_the_oracle_comes_to_what_it_promised_or_better(name: str, opponent: str) -> None:
    kind, options, solver = SMALL[name]
    perfect = {"opponent_budget": solver.rules.rows * solver.rules.columns} if opponent == "minimax" else {}
    env = kind(opponent=opponent, opening=1, **options, **perfect)
    for seed in range(4):
        env.reset(seed=seed)
        promised, reward, steps = env.oracle(), 0.0, 0
        assert promised
        while told := env.oracle():
            if not told.actions:
                break
            assert told.value >= promised.value
            _, reward, *_ = env.step(told.actions[seed % len(told.actions)])
            steps += 1
        assert reward >= promised.value
        if reward == promised.value == 1:
            assert steps <= promised.steps_left
        if opponent == "minimax":
            assert reward == promised.value


def test_first_player_wins_hex_and_connect_three_and_tictactoe_is_a_draw() -> None:
    values = {name: _value_at_the_start(kind(seat="first", **options)) for name, (kind, options, _) in SMALL.items()}
    assert values == {"tictactoe": 0, "connect3": 1, "connect4": 0, "hex2": 1, "hex3": 1}
    assert _value_at_the_start(HexEnv(size=4, seat="first")) == 1
    assert _value_at_the_start(ConnectFourEnv(rows=4, columns=4, seat="first")) == 0


def test_hex_of_four_is_solved_from_the_start() -> None:
    env = HexEnv(size=4, seat="first")
    env.reset(seed=0)
    assert env.oracle() == Oracle(actions=("c2", "b3"), steps_left=5, certain=False, value=1.0)


def test_large_boards_are_estimated_until_they_can_be_solved() -> None:
    env = ConnectFourEnv(seat="first", simulations=200, solver_nodes=20_000)
    env.reset(seed=0)
    told = env.oracle()
    assert told
    assert (told.exact, told.certain, told.steps_left) == (False, False, 21)
    assert -1 <= told.value <= 1
    assert len(told.actions) == 1
    assert env.oracle() == told


def test_an_estimate_finds_a_win_in_one() -> None:
    env = ConnectFourEnv(seat="first", simulations=300)
    env.reset(seed=0)
    mine, theirs = (sum(env.game.cell(row, column) for column in range(3)) for row in (0, 1))
    env._board = (mine, theirs)
    told = env.oracle()
    assert told
    assert told.actions == ("4",)
    assert told.value is not None
    assert told.value > 0.9


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    env = ConnectFourEnv(rows=5, columns=5, seat="first", solver_nodes=3_000, simulations=50)
    answers: dict[int, list[Oracle | None]] = {}
    for silent in (0, 4):
        judge.cache_clear()
        analyse.cache_clear()
        _, info = env.reset(seed=2)
        answers[silent] = []
        for number in range(12):
            answers[silent] += [env.oracle()] if number >= silent else []
            actions = info["admissible_actions"]
            if not actions:
                break
            info = env.step(actions[number % len(actions)])[4]
    assert {told.exact for told in answers[0] if told} == {True, False}
    assert answers[0][4:] == answers[4]


@pytest.mark.parametrize(
    "settings",
    [
        ("TicTacToe", {}),
        ("TicTacToe", {"opponent": "minimax", "opening": 2}),
        ("ConnectFour", {"opponent": "mcts", "opponent_budget": 30, "simulations": 50, "solver_nodes": 500}),
        ("ConnectFour", {"rows": 3, "columns": 4, "connect": 3, "opponent": "minimax"}),
        ("Hex", {"size": 3}),
        ("Hex", {"size": 5, "opponent": "minimax", "opponent_budget": 2, "simulations": 50}),
    ],
    ids=str,
)
def test_they_keep_every_promise(settings: tuple[str, dict[str, Any]]) -> None:
    name, options = settings
    check_text_env(make_env(f"agentgym_critic/{name}-v0", **options), steps=12)


def test_the_rules_are_the_same_for_both_sides() -> None:
    """The same moves, seen from either seat, have opposite rewards."""
    cells = [f"{column}{row}" for row in "123" for column in "abc"]
    for seed in range(20):
        order = random.Random(seed).sample(cells, 9)
        first = _replay(TicTacToeEnv(seat="first", opponent=Follows(order[1::2])), order[0::2])
        second = _replay(TicTacToeEnv(seat="second", opponent=Follows(order[0::2])), order[1::2])
        assert first == -second


def test_the_stronger_opponent_wins_more() -> None:
    rewards = {}
    for opponent, budget in (("random", None), ("mcts", 200), ("minimax", None)):
        env = TicTacToeEnv(opponent=opponent, opponent_budget=budget)
        rewards[opponent] = sum(_random_game(env, seed) for seed in range(40))
    assert rewards["random"] > max(rewards["mcts"], rewards["minimax"]) + 20


def test_the_opening_is_played_by_chance() -> None:
    env = HexEnv(size=4, opening=4, seat="first")
    starts = {env.reset(seed=seed)[0] for seed in range(10)}
    assert len(starts) > 8
    assert all((start.count("X"), start.count("O")) == (2, 2) for start in starts)
    assert "The first 4 moves have been made by chance." in env.current()[1]["task"]


def test_pictures() -> None:
    env = TicTacToeEnv(seat="first")
    assert env.reset(seed=0)[0] == "  a b c\n1 . . .\n2 . . .\n3 . . ."
    env = ConnectFourEnv(rows=3, columns=4, seat="first")
    assert env.reset(seed=0)[0] == ". . . .\n. . . .\n. . . .\n1 2 3 4"
    env = HexEnv(size=3, seat="first")
    assert env.reset(seed=0)[0] == "   a b c\n 1 . . .\n  2 . . .\n   3 . . ."


def test_a_full_column_is_explained() -> None:
    env = ConnectFourEnv(seat="first", rows=3, columns=3, connect=3, opponent=Follows(["1", "2"]))
    env.reset(seed=0)
    env.step("1")
    env.step("1")
    assert env.step("1")[4]["invalid_reason"] == "Column 1 is full. Possible: 2, 3."
    assert env.step("7" * 900)[4]["invalid_reason"] == f"'{'7' * 50}' is not possible here. Possible: 2, 3."


def test_nothing_is_played_before_reset() -> None:
    for ask in (TicTacToeEnv().oracle, TicTacToeEnv().snapshot, TicTacToeEnv().current):
        with pytest.raises(EnvError, match=r"no game is played; call reset\(\) first"):
            ask()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("Hex", {"size": 1}, r"size is a whole number from 2 to 13, got 1"),
        ("Hex", {"size": True}, r"size is a whole number, got True"),
        ("Hex", {"size": "4"}, r"size is a whole number, got '4'"),
        ("ConnectFour", {"rows": 0}, r"rows is a whole number from 3 to 10, got 0"),
        ("ConnectFour", {"columns": 11}, r"columns is a whole number from 3 to 10, got 11"),
        ("ConnectFour", {"connect": 2}, r"connect is a whole number from 3 to 10, got 2"),
        ("ConnectFour", {"rows": 4, "columns": 5, "connect": 6}, r"connect=6 stones in a line fit into no board of 4"),
        ("TicTacToe", {"opening": 4}, r"opening is a whole number from 0 to 3, got 4"),
        ("Hex", {"opening": -1}, r"opening is a whole number from 0 to 5, got -1"),
        ("TicTacToe", {"opponent_budget": 3}, r"for the opponents minimax and mcts; 'random' has no use for 3"),
        ("TicTacToe", {"opponent": "minimax", "opponent_budget": 10}, r"opponent_budget is .* from 1 to 9, got 10"),
        ("ConnectFour", {"opponent": "minimax", "opponent_budget": 9}, r"opponent_budget is .* from 1 to 8, got 9"),
        ("Hex", {"opponent": "mcts", "opponent_budget": 0}, r"opponent_budget is .* from 1 to 1000000, got 0"),
        ("Hex", {"simulations": 0}, r"simulations is a whole number from 1 to 1000000, got 0"),
        ("Hex", {"solver_nodes": -1}, r"solver_nodes is a whole number from 0"),
        ("TicTacToe", {"size": 4}, r"unexpected keyword argument 'size'"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env(f"agentgym_critic/{name}-v0", **settings)


class Follows:
    """Plays a list."""

    id = "follows"

    def __init__(self, script: list[str]) -> None:
        self.script = script

    def reset(self, seed: int) -> None:
        pass

    def propose(self, turn: Turn) -> Action:
        return Action(text=self.script[turn.index])


def _replay(env: TicTacToeEnv, script: list[str]) -> float:
    env.reset(seed=0)
    rewards = [env.step(action)[1] for action in script if env.current()[1]["admissible_actions"]]
    return sum(rewards)


def _random_game(env: BoardEnv, seed: int) -> float:
    rng, reward = random.Random(seed), 0.0
    _, info = env.reset(seed=seed)
    while info["admissible_actions"]:
        _, reward, *_, info = env.step(rng.choice(info["admissible_actions"]))
    return reward


def _value_at_the_start(env: BoardEnv) -> float | None:
    env.reset(seed=0)
    told = env.oracle()
    assert told
    assert told.exact
    return told.value


def _label(env: BoardEnv, rules: Rules, cell: tuple[int, int]) -> str:
    row, column = cell
    return str(column + 1) if rules.drops else f"{'abcdefgh'[column]}{row + 1}"
