from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sokoban_rules import State, after, all_distances, levels, read

from agentgym_critic.envs.sokoban import Recipe, Solver, generate_level, parse_level
from agentgym_critic.envs.sokoban.moves import ACTIONS, moved, offsets

LIMITS = st.sampled_from([0, 1, 3, 10, 10_000])
"""Backward limits: from a search that only goes forwards to one that only goes backwards."""

DEADLOCK = "######\n#$-.-#\n#--@-#\n######"


def masks(state: State, cols: int) -> tuple[int, int]:
    boxes = sum(1 << row * cols + col for row, col in state.boxes)
    return boxes, 1 << state.player[0] * cols + state.player[1]


@settings(max_examples=150, deadline=None)
@given(levels(), LIMITS, st.randoms(use_true_random=False))
def test_distances_are_those_of_brute_force(text: str, limit: int, order: st.randoms) -> None:
    level = parse_level(text)
    solver = Solver(level, backward_limit=limit)
    expected = list(all_distances(text).items())
    order.shuffle(expected)
    for state, distance in expected[:300]:
        boxes, player = masks(state, level.cols)
        assert solver.distance(boxes, player) == distance
        assert solver.solvable(boxes, player) == (distance is not None)


@settings(max_examples=150, deadline=None)
@given(levels(), LIMITS)
def test_best_actions_are_all_that_lead_nearer(text: str, limit: int) -> None:
    level = parse_level(text)
    solver = Solver(level, backward_limit=limit)
    distances = all_distances(text)
    _, walls, _ = read(text)
    for state, distance in list(distances.items())[:300]:
        best = [
            action
            for action in ACTIONS
            if distance and (following := after(state, walls, action)) and distances[following] == distance - 1
        ]
        assert solver.best_actions(*masks(state, level.cols)) == tuple(best)


@pytest.mark.parametrize("limit", [0, 10_000])
def test_a_deadlock_is_known_as_one(limit: int) -> None:
    level = parse_level(DEADLOCK)
    solver = Solver(level, backward_limit=limit)
    assert solver.solvable(level.boxes, level.player) is False
    assert solver.distance(level.boxes, level.player) is None
    assert solver.best_actions(level.boxes, level.player) == ()


def test_a_search_too_large_is_given_up_and_said_so() -> None:
    level = parse_level("########\n#@-----#\n#-$--$-#\n#-.--.-#\n#------#\n########")
    solver = Solver(level, backward_limit=0, forward_limit=1)
    assert solver.distance(level.boxes, level.player) is None
    assert solver.solvable(level.boxes, level.player) is None
    assert Solver(level, backward_limit=0).solvable(level.boxes, level.player) is True


def test_an_optimal_way_is_found_once_and_then_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    level, _ = generate_level(np.random.default_rng(2), Recipe(7, 7, 2, min_solution=15))
    solver = Solver(level, backward_limit=20)
    boxes, player = level.boxes, level.player
    distance = solver.distance(boxes, player)
    assert distance is not None
    assert not solver.finished
    assert solver.depth < distance
    monkeypatch.setattr(solver, "_search", None)
    for left in range(distance, 0, -1):
        assert solver.distance(boxes, player) == left
        for action in solver.best_actions(boxes, player):
            state = moved(boxes, player, level.floor, offsets(level.cols)[action])
            assert state
        boxes, player = state
    assert boxes == level.targets


def test_exploring_stops_where_it_is_told_to() -> None:
    level, _ = generate_level(np.random.default_rng(2), Recipe(7, 7, 2, min_solution=15))
    solver = Solver(level)
    solver.explore(3)
    assert (solver.depth, len(solver.layers), solver.finished) == (3, 4, False)
    solver.explore()
    assert solver.finished
    assert all(solver.layers)
