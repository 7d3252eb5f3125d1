from __future__ import annotations

import pytest
from game2048_rules import WAYS, after, boards, chance, rows, value
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.game2048.arrangement import promise
from agentgym_critic.envs.game2048.board import empty_cells, lines_of
from agentgym_critic.envs.game2048.expectimax import ActionValues, Expectimax

SMALL = st.lists(st.integers(0, 3), min_size=4, max_size=4).map(bytes)
"""Boards of 2 x 2 without a tile of 16."""


@settings(max_examples=60, deadline=None)
@given(SMALL, st.sampled_from([3, 4]))
def test_a_search_to_the_end_is_plain_recursion(board: bytes, goal: int) -> None:
    assume(goal not in board)
    plain = rows(board, 2)
    found = Expectimax(2, goal, None).values(board)
    legal = {way: after(plain, way)[0] for way in WAYS}
    expected = {way: chance(moved, 2**goal) for way, moved in legal.items() if moved != plain}
    assert found.exact
    assert found.values == pytest.approx(expected)
    assert max(found.values.values(), default=0.0) == pytest.approx(value(plain, 2**goal))
    assert found.best == tuple(way for way, each in expected.items() if each == pytest.approx(max(expected.values())))


def shallow(board: bytes, size: int, goal: int, depth: int) -> float:
    """A board's value where `depth` more moves are looked ahead, by plain recursion."""
    lines = lines_of(board, size)
    if not lines.legal():
        return 0.0
    if depth == 0:
        return promise(board, size)
    return max(after_move(lines.moved(action)[0], size, goal, depth) for action in lines.legal())


def after_move(board: bytes, size: int, goal: int, depth: int) -> float:
    if goal in board:
        return 1.0
    grown = [
        weight * shallow(board[:cell] + tile + board[cell + 1 :], size, goal, depth - 1)
        for cell in empty_cells(board)
        for tile, weight in ((b"\1", 0.9), (b"\2", 0.1))
    ]
    return sum(grown) / len(empty_cells(board))


@settings(max_examples=25, deadline=None)
@given(boards(largest=3, highest=4), st.integers(1, 2))
def test_a_search_that_stops_early_weighs_what_it_sees(drawn: tuple[bytes, int], depth: int) -> None:
    board, size = drawn
    depth = depth if board.count(0) < 6 else 1  # without memory two moves on an empty board take seconds
    goal = 6
    lines = lines_of(board, size)
    expected = {action: after_move(lines.moved(action)[0], size, goal, depth) for action in lines.legal()}
    assert Expectimax(size, goal, depth).values(board).values == pytest.approx(expected)


def test_it_says_whether_it_saw_the_end() -> None:
    board = bytes([2, 2, 0, 0])
    assert Expectimax(2, 3, 1).values(board).values["left"] == 1.0
    assert not Expectimax(2, 4, 1).values(board).exact
    assert Expectimax(2, 3, None).values(board).exact
    assert Expectimax(3, 3, 1).values(bytes([1, 2, 1, 2, 1, 2, 1, 2, 1])) == ActionValues({}, exact=True)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_turned_board_has_turned_values(turns: int) -> None:
    board, clockwise = (
        bytes([1, 0, 2, 0, 3, 1, 0, 0, 1]),
        {"up": "right", "right": "down", "down": "left", "left": "up"},
    )
    search = Expectimax(3, 5, 2)
    expected = search.values(board).values
    for _ in range(turns):
        board = bytes(board[3 * (2 - col) + row] for row in range(3) for col in range(3))
        expected = {clockwise[action]: worth for action, worth in expected.items()}
    assert search.values(board).values == pytest.approx(expected)


def test_the_best_are_all_that_are_equal_but_for_rounding() -> None:
    values = {"down": 0.1 + 0.2, "left": 0.3, "right": 0.2, "up": 0.299}
    assert ActionValues(values, exact=True).best == ("down", "left")
    assert ActionValues({}, exact=True).best == ()


@given(boards())
def test_a_board_of_unknown_end_is_worth_less_than_success_and_more_than_failure(drawn: tuple[bytes, int]) -> None:
    assert 0 < promise(*drawn) < 1


def test_room_and_order_are_promising() -> None:
    assert promise(bytes([3, 2, 0, 0]), 2) > promise(bytes([3, 2, 1, 0]), 2)
    assert promise(bytes([4, 3, 2, 3, 2, 1, 2, 1, 0]), 3) > promise(bytes([4, 1, 3, 1, 3, 2, 2, 2, 0]), 3)
    assert promise(bytes([3, 3, 1, 2]), 2) > promise(bytes([3, 4, 1, 2]), 2)
