from __future__ import annotations

import random

import pytest

from agentgym_critic.envs.boards import START, ConnectFour, Game, Hex, TicTacToe, analyse, search

GAMES = [TicTacToe(), ConnectFour(), Hex(4)]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_the_same_dice_give_the_same_estimates(game: Game) -> None:
    estimates = [search(game, START, 60, random.Random(seed)) for seed in (1, 1, 2)]
    assert estimates[0] == estimates[1] != estimates[2]
    assert sum(each.visits for each in estimates[0]) == 60
    assert all(-1 <= each.mean <= 1 for each in estimates[0])
    assert [each.visits for each in estimates[0]] == sorted((each.visits for each in estimates[0]), reverse=True)


def test_enough_playouts_find_a_move_that_keeps_the_value() -> None:
    game, rng = TicTacToe(), random.Random(0)
    for _ in range(15):
        position = START
        for _ in range(3):
            position = game.play(position, rng.choice(list(game.moves(position))))
        known = analyse(game, position)
        best = search(game, position, 2_000, random.Random(0))[0]
        after = analyse(game, game.play(position, best.move))
        assert known
        assert after
        assert -after.value == known.value


def test_it_stops_a_threat() -> None:
    game = ConnectFour()
    three = game.cell(0, 1) | game.cell(0, 2) | game.cell(0, 3)
    best = search(game, (game.cell(0, 0) | game.cell(1, 1), three), 1_500, random.Random(0))[0]
    assert best.move == 4


def test_a_win_is_seen_at_once() -> None:
    game = TicTacToe()
    mine, theirs = game.cell(0, 0) | game.cell(0, 1), game.cell(1, 0) | game.cell(1, 1)
    best = search(game, (mine, theirs), 200, random.Random(0))[0]
    assert (best.move, best.mean) == (game.cell(0, 2), 1.0)
