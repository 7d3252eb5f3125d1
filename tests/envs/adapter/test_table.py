from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.adapter import Solution, Table
from agentgym_critic.errors import ConfigError


def won(state: Any, reward: float) -> bool:
    return reward > 0


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small worlds in which every action may end the task, so that no way of playing goes on for ever."""
    states = draw(st.integers(1, 4))
    table: dict[int, dict[int, list[Any]]] = {}
    for state in range(states):
        table[state] = {}
        for action in range(draw(st.integers(1, 3))):
            share = draw(st.sampled_from([0.25, 0.5, 1.0]))
            outcomes = [(share, -1, draw(st.integers(-2, 2)), True)]
            if share < 1.0:
                outcomes.append((1 - share, draw(st.integers(0, states - 1)), draw(st.integers(-2, 2)), False))
            table[state][action] = outcomes
    return table


def evaluated(table: Table, policy: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The expected sum of rewards and of steps of each state, by linear equations."""
    size = len(table)
    moves, rewards = np.zeros((size, size)), np.zeros(size)
    for state, action in policy.items():
        for chance, after, reward, ends in table[state][action]:
            rewards[state] += chance * reward
            if not ends:
                moves[state, after] += chance
    inverse = np.linalg.inv(np.eye(size) - moves)
    return inverse @ rewards, inverse @ np.ones(size)


def policies(choices: dict[int, list[int]]) -> list[dict[int, int]]:
    return [dict(zip(choices, actions, strict=True)) for actions in itertools.product(*choices.values())]


@settings(max_examples=150, deadline=None)
@given(tables())
def test_it_agrees_with_trying_every_way_of_playing(table: Table) -> None:
    values = np.max(
        [evaluated(table, policy)[0] for policy in policies({s: list(a) for s, a in table.items()})], axis=0
    )
    worths = {
        state: {
            action: sum(chance * (reward + (0 if ends else values[after])) for chance, after, reward, ends in outcomes)
            for action, outcomes in actions.items()
        }
        for state, actions in table.items()
    }
    optimal = {
        state: [action for action, worth in each.items() if worth > values[state] - 1e-9]
        for state, each in worths.items()
    }
    steps = np.min([evaluated(table, policy)[1] for policy in policies(optimal)], axis=0)
    for start in table:
        solution = Solution(table, [start], won)
        assert solution.value(start) == pytest.approx(values[start], abs=1e-9)
        assert solution.worths(start) == pytest.approx(worths[start], abs=1e-9)
        assert solution.steps(start) == pytest.approx(steps[start], abs=1e-9)
        assert solution.best(start) == [
            action
            for action in optimal[start]
            if 1 + sum(c * (0 if ends else steps[after]) for c, after, _, ends in table[start][action])
            < steps[start] + 1e-9
        ]


@st.composite
def mazes(draw: st.DrawFn) -> dict[int, list[int]]:
    """For each cell where its moves lead; cell 0 is the goal."""
    cells = draw(st.integers(2, 8))
    return {cell: draw(st.lists(st.integers(0, cells - 1), min_size=1, max_size=3)) for cell in range(cells)}


@settings(max_examples=200, deadline=None)
@given(mazes(), st.sampled_from([(0.0, 1.0), (-1.0, -1.0), (-1.0, 20.0)]))
def test_in_a_maze_best_is_shortest(maze: dict[int, list[int]], rewards: tuple[float, float]) -> None:
    step, last = rewards
    distance = {0: 0}
    for _ in maze:
        for cell, moves in maze.items():
            if cell and (near := [distance[move] for move in moves if move in distance]):
                distance[cell] = min(near) + 1
    lost = [cell for cell in maze if cell not in distance]
    table = {
        cell: {
            action: [(1.0, move, last if move == 0 else 0.0 if move in lost else step, move == 0)]
            for action, move in enumerate(moves)
        }
        for cell, moves in maze.items()
        if cell
    }
    for cell in set(table) - set(lost):
        if step < 0 and any(move in lost for there in distance if there for move in maze[there]):
            continue  # it would pay to get lost and stay there at no cost
        solution = Solution(table, [cell], lambda state, reward: state == 0)
        assert solution.hopeful(cell)
        assert solution.certain(cell)
        assert solution.steps(cell) == distance[cell]
        assert solution.best(cell) == [
            action for action, move in enumerate(maze[cell]) if distance.get(move) == distance[cell] - 1
        ]
    for cell in lost:
        solution = Solution(table, [cell], lambda state, reward: state == 0)
        assert (solution.hopeful(cell), solution.value(cell), solution.steps(cell)) == (False, 0.0, math.inf)


def test_going_in_circles_at_no_cost_is_not_best() -> None:
    table = {0: {"wait": [(1.0, 0, 0.0, False)], "go": [(1.0, 1, 1.0, True)]}}
    solution = Solution(table, [0], won)
    assert solution.worths(0) == {"wait": 1.0, "go": 1.0}
    assert (solution.best(0), solution.steps(0)) == (["go"], 1.0)


def test_a_prize_on_the_way_to_nowhere_counts() -> None:
    stuck = {1: {"stay": [(1.0, 1, 0.0, False)]}}
    table = {0: {"take": [(0.5, 1, 2.0, False), (0.5, 1, 1.0, False)], "end": [(1.0, 9, 1.0, True)]}, **stuck}
    solution = Solution(table, [0], won)
    assert solution.worths(0) == {"take": 1.5, "end": 1.0}
    assert solution.best(0) == ["take"]
    assert not solution.hopeful(0)
    assert not solution.certain(0)


def test_where_ending_costs_going_on_is_best() -> None:
    table = {0: {"stay": [(1.0, 0, 0.0, False)], "fall": [(1.0, 1, -1.0, True)]}}
    solution = Solution(table, [0], won)
    assert (solution.best(0), solution.value(0), solution.steps(0)) == (["stay"], 0.0, math.inf)


def test_chance_has_a_say_only_where_best_play_meets_it() -> None:
    risk = [(0.5, 9, 1.0, True), (0.5, 9, -1.0, True)]
    table = {0: {"safe": [(1.0, 1, 0.0, False)], "risk": risk}, 1: {"end": [(1.0, 9, 1.0, True)]}, 2: {"risk": risk}}
    assert Solution(table, [0], won).certain(0)
    assert not Solution(table, [2], won).certain(2)


def test_it_knows_what_can_be_reached() -> None:
    table = {0: {0: [(1.0, 1, 1.0, True), (0.0, 2, 0.0, False)]}, 2: {0: [(1.0, 1, 1.0, True)]}}
    solution = Solution(table, [0], won)
    assert 0 in solution
    assert 2 not in solution
    assert 1 not in solution


def test_chance_of_ten_thousand_steps_is_exact() -> None:
    table = {0: {0: [(1e-4, 1, 1.0, True), (1 - 1e-4, 0, -1e-4, False)]}}
    solution = Solution(table, [0], won)
    assert solution.steps(0) == pytest.approx(1e4, rel=1e-9)
    assert solution.value(0) == pytest.approx(1 - 0.9999, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "the table has no actions in the state 0, which can be reached"),
        ({0: {}}, "the table has no actions in the state 0, which can be reached"),
        (
            {0: {0: [(1.0, 5, 0.0, False)]}},
            "the table has no actions in the state 5, which can be reached",
        ),
        (
            {0: {0: [(0.5, 1, 0.0, True)]}},
            "the chances of action 0 in state 0 of the table add up to 0.5, not to 1",
        ),
        (
            {0: {0: [(1.0, 0, 1.0, False)]}},
            "the table allows a sum of rewards without bound, for example by going in circles; change it, or pass "
            "oracle=, a function of the environment",
        ),
        ({0: {0: [(1.0, 0, -1.0, False)]}}, "the table allows a sum of rewards without bound"),
    ],
)
def test_what_is_no_table_is_refused(table: Table, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_critic.envs.adapter.table.SWEEPS", 1000)
    with pytest.raises(ConfigError, match=re.escape(message)):
        Solution(table, [0], won)
