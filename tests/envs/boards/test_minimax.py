from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.boards import START, ConnectFour, Game, Hex, TicTacToe, analyse
from agentgym_critic.envs.boards.game import Position, plies


def played(game: Game, seed: int, moves: int) -> Position:
    """A position after random moves, or fewer where the game ended."""
    rng, position = random.Random(seed), START
    for _ in range(moves):
        after = game.play(position, rng.choice(list(game.moves(position))))
        if game.over(after):
            break
        position = after
    return position


def test_the_score_counts_the_moves_to_the_end() -> None:
    game = TicTacToe()
    known = analyse(game, START)
    assert known
    assert (known.score, known.value, known.end(game), len(known.moves)) == (0, 0, 9, 9)
    open_row = (game.cell(0, 0) | game.cell(0, 1), game.cell(1, 0) | game.cell(2, 1))
    known = analyse(game, open_row)
    assert known
    assert (known.value, known.end(game), known.moves) == (1, 5, (game.cell(0, 2),))


def test_a_short_sight_sees_what_is_near() -> None:
    """Three in the lowest row: one ply shows the win, two show that the other must stop it."""
    game = ConnectFour()
    three = game.cell(0, 0) | game.cell(0, 1) | game.cell(0, 2)
    others = game.cell(1, 0) | game.cell(1, 1) | game.cell(5, 6)
    win = analyse(game, (three, others), horizon=1)
    assert win
    assert (win.value, win.moves) == (1, (3,))
    others = game.cell(1, 0) | game.cell(1, 1)
    blind = analyse(game, (others, three), horizon=1)
    sighted = analyse(game, (others, three), horizon=2)
    assert blind
    assert sighted
    assert (blind.value, len(blind.moves)) == (0, 7)
    assert (sighted.value, sighted.moves) == (0, (3,))


def test_too_large_a_question_has_no_answer() -> None:
    assert analyse(ConnectFour(), START, nodes=100) is None
    assert analyse(Hex(3), START, nodes=0) is None


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 10_000), st.integers(0, 8))
def test_hex_knows_the_fewest_moves_to_a_win(size: int, seed: int, moves: int) -> None:
    """Against a side that passes: `moves_to_win` own stones win, and no fewer do."""
    game = Hex(size)
    mine, theirs = played(game, seed, moves)
    side, needed, reached, count = plies((mine, theirs)) % 2, game.moves_to_win((mine, theirs)), {mine}, 0
    while not any(game._connects(stones, side) for stones in reached):
        free = game.moves((mine, theirs))
        reached = {stones | bit for stones in reached for bit in free if not stones & bit}
        count += 1
    assert count == needed


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_a_random_game_of_hex_ends_like_the_full_board(size: int, seed: int) -> None:
    """A full board has one winner, and a playout names it."""
    game, rng = Hex(size), random.Random(seed)
    position = played(game, seed, size)
    free = list(game.moves(position))
    rng.shuffle(free)
    while free and not game.won(position):
        position = game.play(position, free.pop(0))
    assert game.won(position)


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour(3, 4, 3), Hex(3)], ids=lambda game: type(game).__name__)
def test_equal_rules_are_equal(game: Game) -> None:
    assert game == type(game)(*game.settings)
    assert hash(game) == hash(type(game)(*game.settings))
    assert game != Hex(5)
