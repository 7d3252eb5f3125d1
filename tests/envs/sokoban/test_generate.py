from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sokoban_rules import all_distances, read

from agentgym_critic.envs.sokoban import Level, Recipe, format_level, generate_level, parse_level
from agentgym_critic.errors import ConfigError


def level_of(seed: int, recipe: Recipe) -> Level:
    return generate_level(np.random.default_rng(seed), recipe)[0]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**63),
    st.tuples(st.integers(5, 7), st.integers(5, 7), st.integers(1, 2), st.integers(1, 6)),
    st.none() | st.integers(6, 12),
)
def test_levels_are_solvable_and_as_long_as_asked_for(
    seed: int, wanted: tuple[int, int, int, int], most: int | None
) -> None:
    recipe = Recipe(*wanted, max_solution=most)
    text = format_level(level_of(seed, recipe))
    distance = all_distances(text)[read(text)[0]]
    assert distance is not None
    assert recipe.min_solution <= distance <= (most or 10_000)
    level = parse_level(text)
    assert (level.rows, level.cols, level.boxes.bit_count()) == wanted[:3]


def test_the_solver_that_comes_along_knows_the_level() -> None:
    level, solver = generate_level(np.random.default_rng(5), Recipe(6, 6, 1, min_solution=8))
    assert solver.finished
    text = format_level(level)
    assert solver.distance(level.boxes, level.player) == all_distances(text)[read(text)[0]]


def test_levels_follow_from_the_seed_and_differ() -> None:
    recipe = Recipe(6, 6, 1, min_solution=5)
    levels = [level_of(seed, recipe) for seed in range(100)]
    assert levels == [level_of(seed, recipe) for seed in range(100)]
    assert len(set(levels)) > 95


def test_every_cell_of_a_room_is_within_reach() -> None:
    for seed in range(20):
        level = level_of(seed, Recipe(8, 8, 1, min_solution=3))
        text = format_level(level).replace("$", "-")
        [player] = [(r, c) for r, line in enumerate(text.split("\n")) for c, it in enumerate(line) if it in "@+"]
        lines, reached, edge = text.split("\n"), {player}, [player]
        while edge:
            row, col = edge.pop()
            near = {(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)} - reached
            near = {cell for cell in near if lines[cell[0]][cell[1]] != "#"}
            reached |= near
            edge += near
        assert len(reached) == level.floor.bit_count()


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Recipe(2, 6, 1, 1), r"size counts the walls: from 3 to 50 rows and columns, got 2 x 6"),
        (Recipe(6, 51, 1, 1), r"size counts the walls: from 3 to 50 rows and columns, got 6 x 51"),
        (Recipe(6, 6, 0, 1), r"boxes is at least 1, and leaves room to move: at most 14 in a level of 6 x 6; got 0"),
        (Recipe(6, 6, 15, 1), r"boxes is at least 1, and leaves room to move: at most 14 in a level of 6 x 6; got 15"),
        (Recipe(3, 4, 1, 1), r"at most 0 in a level of 3 x 4; got 1"),
        (Recipe(6, 6, 1, 0), r"min_solution is at least 1 move, got 0"),
        (
            Recipe(6, 6, 1, 9, 8),
            r"no solution of at least min_solution=9 moves fits into 8 steps; raise max_steps or lower min_solution",
        ),
    ],
)
def test_a_recipe_is_checked(recipe: Recipe, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        recipe.check()


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            Recipe(5, 5, 1, 40),
            r"no level of 5 x 5 with boxes=1 and min_solution=40 was found in 200 random rooms: the longest shortest "
            r"solution there has length 1\d; lower min_solution or boxes, or raise size",
        ),
        (Recipe(4, 4, 2, 1), r"in 200 random rooms: the longest shortest solution there has length 0;"),
        (Recipe(5, 5, 7, 5), r"in 200 random rooms: the longest shortest solution there has length [0-4];"),
        (Recipe(50, 3, 45, 1), r"in 200 random rooms: the boxes fit into none;"),
        (
            Recipe(9, 9, 5, 500),
            r"no level of 9 x 9 with boxes=5 and min_solution=500 was found in \d{1,2} random rooms",
        ),
    ],
)
def test_what_no_room_offers_is_refused(recipe: Recipe, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        level_of(0, recipe)
