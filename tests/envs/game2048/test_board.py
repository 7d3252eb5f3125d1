from __future__ import annotations

import pytest
from game2048_rules import WAYS, after, boards, levels, rows
from hypothesis import given, settings

from agentgym_critic.envs.game2048 import board as module
from agentgym_critic.envs.game2048.board import ACTIONS, empty_cells, lines_of, slide


@settings(max_examples=300, deadline=None)
@given(boards())
def test_moves_are_those_of_the_plain_rules(drawn: tuple[bytes, int]) -> None:
    board, size = drawn
    lines, plain = lines_of(board, size), rows(board, size)
    for action in ACTIONS:
        expected, points = after(plain, action)
        assert lines.moved(action) == (levels(expected), points)
    assert lines.legal() == [way for way in WAYS if after(plain, way)[0] != plain]


@pytest.mark.parametrize(
    ("line", "first", "merged"),
    [
        ([1, 1, 1, 1], [2, 2, 0, 0], 8),
        ([1, 1, 2, 0], [2, 2, 0, 0], 4),
        ([2, 1, 1, 0], [2, 2, 0, 0], 4),
        ([1, 0, 0, 1], [2, 0, 0, 0], 4),
        ([1, 2, 1, 2], [1, 2, 1, 2], 0),
        ([0, 0, 0, 0], [0, 0, 0, 0], 0),
        ([11, 11, 0, 0], [12, 0, 0, 0], 4096),
    ],
)
def test_a_tile_merges_once_a_move(line: list[int], first: list[int], merged: int) -> None:
    found = slide(bytes(line))
    assert (list(found.first), found.first_merged) == (first, merged)
    assert bool(found.movable & 1) == (line != first)


def test_the_foremost_tiles_merge_first() -> None:
    assert list(slide(bytes([1, 1, 1])).first) == [2, 1, 0]
    assert list(slide(bytes([1, 1, 1])).last) == [0, 1, 2]


def test_empty_cells_are_counted_from_the_first() -> None:
    assert empty_cells(bytes([0, 3, 1, 0])) == [0, 3]
    assert empty_cells(bytes([1, 1])) == []


def test_the_table_of_lines_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KNOWN_LINES", 5)
    table = module._Slides()
    for level in range(40):
        assert table[bytes([level, level])] == slide(bytes([level, level]))
        assert len(table) <= 5
