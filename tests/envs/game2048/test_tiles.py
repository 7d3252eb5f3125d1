from __future__ import annotations

from collections import Counter

import pytest
from game2048_rules import boards
from hypothesis import assume, given
from hypothesis import strategies as st

from agentgym_critic.envs.game2048.tiles import with_new_tile


@given(boards(), st.integers(0, 2**64 - 1), st.integers(0, 10_000))
def test_one_tile_is_added_to_an_empty_cell(drawn: tuple[bytes, int], key: int, number: int) -> None:
    board, _ = drawn
    assume(0 in board)
    added = with_new_tile(board, key, number)
    [cell] = [cell for cell, (was, now) in enumerate(zip(board, added, strict=True)) if was != now]
    assert board[cell] == 0
    assert added[cell] in (1, 2)
    assert with_new_tile(board, key, number) == added


@pytest.mark.parametrize("along", ["numbers", "keys"])
def test_cells_are_equally_likely_and_a_tenth_of_the_tiles_is_larger(along: str) -> None:
    """20,000 draws: four standard deviations are 0.9 % for a quarter and 0.85 % for a tenth, of all."""
    board, count = bytes([0, 5, 0, 0, 7, 0]), 20_000
    drawn = [with_new_tile(board, *((99, n) if along == "numbers" else (n, 3))) for n in range(count)]
    cells = Counter(next(cell for cell in (0, 2, 3, 5) if each[cell]) for each in drawn)
    assert all(abs(cells[cell] / count - 0.25) < 0.0125 for cell in (0, 2, 3, 5))
    assert abs(sum(2 in each for each in drawn) / count - 0.1) < 0.0085


def test_the_tiles_of_a_game_are_recorded() -> None:
    """A change means that all seeds are other games: raise `env_version`, and say so in the changelog."""
    board = bytes(16)
    for number in range(6):
        board = with_new_tile(board, 2**63 + 7, number)
    assert board.hex() == "00000000000100000101000000010101"
