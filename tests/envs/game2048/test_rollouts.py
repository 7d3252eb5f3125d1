from __future__ import annotations

import random
from functools import cache

import pytest

from agentgym_critic.envs.game2048.board import lines_of
from agentgym_critic.envs.game2048.rollouts import Rollout, Start, mean_return, play_out, success_rate

FULL = bytes([1, 1, 2, 3])
"""Two moves merge the ones, and nothing else is possible."""


@cache
def random_chance(board: bytes, goal: int) -> float:
    """The chance of the player that moves at random, by plain recursion on 2 x 2."""
    legal = lines_of(board, 2).legal()
    return sum(chance_after(board, action, goal) for action in legal) / len(legal) if legal else 0.0


def chance_after(board: bytes, action: str, goal: int) -> float:
    moved, _ = lines_of(board, 2).moved(action)
    if goal in moved:
        return 1.0
    empty = [cell for cell in range(4) if not moved[cell]]
    grown = [
        weight * random_chance(moved[:cell] + tile + moved[cell + 1 :], goal)
        for cell in empty
        for tile, weight in ((b"\1", 0.9), (b"\2", 0.1))
    ]
    return sum(grown) / len(empty)


@pytest.mark.parametrize("board", [bytes([1, 0, 0, 1]), bytes([2, 1, 0, 2]), FULL])
def test_the_share_of_successes_is_the_chance(board: bytes) -> None:
    """With a confidence of 0.9999 an honest interval misses once in ten thousand; these draws are fixed."""
    for action in lines_of(board, 2).legal():
        games = play_out(Start(board, 2, 4), action, 3000, horizon=100, discount=1, seed=0)
        found = success_rate(games, 0.9999)
        assert found.low <= chance_after(board, action, 4) <= found.high
        assert found.high - found.low < 0.08


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    board, truth = bytes([2, 1, 0, 2]), chance_after(bytes([2, 1, 0, 2]), "left", 4)
    held = 0
    for seed in range(200):
        found = success_rate(play_out(Start(board, 2, 4), "left", 60, horizon=100, discount=1, seed=seed), 0.9)
        held += found.low <= truth <= found.high
    assert 165 <= held <= 195  # 180 expected; 4.2 is the standard deviation


def test_rollouts_follow_from_the_seed_alone() -> None:
    start = Start(bytes([1, 0, 0, 1, 2, 0, 0, 0, 0]), 3, 6)
    one = play_out(start, "left", 20, horizon=50, discount=0.9, seed=5)
    random.seed(3)
    assert play_out(start, "left", 20, horizon=50, discount=0.9, seed=5) == one
    assert play_out(start, "left", 20, horizon=50, discount=0.9, seed=6) != one
    assert play_out(start, "left", 10, horizon=50, discount=0.9, seed=5) == one[:10]


def test_points_are_discounted_and_the_horizon_ends_a_game() -> None:
    start = Start(bytes([2, 2, 3, 3]), 2, 9)
    [game] = play_out(start, "left", 1, horizon=1, discount=0.5, seed=0)
    assert game == Rollout(gain=8 + 16, success=False)
    undiscounted = play_out(start, "left", 20, horizon=30, discount=1, seed=0)
    discounted = play_out(start, "left", 20, horizon=30, discount=0.5, seed=0)
    pairs = [(less.gain, more.gain) for less, more in zip(discounted, undiscounted, strict=True)]
    assert all(24 <= less <= more for less, more in pairs)
    assert all(less < more for less, more in pairs if more > 24)
    assert any(more > 24 for _, more in pairs)
    assert play_out(Start(bytes([2, 2, 3, 3]), 2, 4), "left", 1, horizon=9, discount=1, seed=0) == [Rollout(24, True)]


def test_an_estimate_is_the_mean_and_its_interval() -> None:
    games = [Rollout(gain, success) for gain, success in ((1.0, True), (2.0, False), (3.0, False), (6.0, False))]
    gain = mean_return(games, 0.95, unit=2.0)
    assert gain.mean == 6.0
    # Sample deviation of 2, 4, 6, 12 is 4.3205; times 1.95996 over the root of 4.
    assert (gain.low, gain.high, gain.rollouts) == pytest.approx((6 - 4.2340, 6 + 4.2340, 4), abs=1e-3)
    share = success_rate(games, 0.95)
    assert (share.mean, share.rollouts) == (0.25, 4)
    assert (share.low, share.high) == pytest.approx((0.0456, 0.6994), abs=1e-4)
    none = success_rate([Rollout(0.0, False)] * 50, 0.95)
    assert (none.mean, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(0.0713, abs=1e-4)
