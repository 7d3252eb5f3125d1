"""Monte-Carlo values of 2048: what each move leads to when all later moves are random, with intervals.

As in ProAct (arXiv 2602.05327) a value is a mean over rollouts of a policy that chooses uniformly
among the legal moves, the first move given. It says how forgiving a board is, not what a good
player makes of it. The tiles are drawn anew for each rollout; the game's own are not looked at.
"""

from __future__ import annotations

import math
import random
from statistics import NormalDist
from typing import NamedTuple

from agentgym_critic.envs.game2048.board import lines_of
from agentgym_critic.envs.game2048.tiles import with_new_tile

__all__ = ["Estimate", "Rollout", "Start", "mean_return", "play_out", "success_rate"]


class Estimate(NamedTuple):
    """A mean over rollouts, and an interval that holds the expectation with the confidence asked for."""

    mean: float
    low: float
    high: float
    rollouts: int


class Rollout(NamedTuple):
    """How one random game went."""

    gain: float
    """Discounted sum of what merging brought, in the units of `Lines.moved`."""
    success: bool


class Start(NamedTuple):
    """Where random games begin."""

    board: bytes
    size: int
    goal: int
    """Level of the target."""


def play_out(start: Start, action: str, rollouts: int, *, horizon: int, discount: float, seed: int) -> list[Rollout]:
    """Random games that all begin with one legal action.

    The n-th game of every action has the same random numbers, so that differences between
    actions vary less than the actions do.
    """
    seeds = [f"{seed} {number}" for number in range(rollouts)]
    return [_play(start, action, horizon, discount, random.Random(each)) for each in seeds]  # noqa: S311 -- a game


def _play(start: Start, action: str, horizon: int, discount: float, rng: random.Random) -> Rollout:
    key, gain, weight = rng.getrandbits(64), 0.0, 1.0
    lines = lines_of(start.board, start.size)
    for number in range(horizon):
        board, merged = lines.moved(action)
        gain += weight * merged
        weight *= discount
        if start.goal in board:
            return Rollout(gain, success=True)
        lines = lines_of(with_new_tile(board, key, number), start.size)
        legal = lines.legal()
        if not legal:
            break
        action = legal[int(rng.random() * len(legal))]
    return Rollout(gain, success=False)


def success_rate(games: list[Rollout], confidence: float) -> Estimate:
    """The share of games that reached the target, with Wilson's score interval."""
    count, z = len(games), _deviations(confidence)
    share = sum(game.success for game in games) / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Estimate(share, max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)), count)


def mean_return(games: list[Rollout], confidence: float, unit: float) -> Estimate:
    """The mean gain times `unit`, with the interval of the central limit theorem; two games at least."""
    count = len(games)
    gains = [game.gain * unit for game in games]
    mean = math.fsum(gains) / count
    variance = math.fsum((gain - mean) ** 2 for gain in gains) / (count - 1)
    reach = _deviations(confidence) * math.sqrt(variance / count)
    return Estimate(mean, mean - reach, mean + reach, count)


def _deviations(confidence: float) -> float:
    """How many standard deviations around the mean hold this share of a normal distribution."""
    return NormalDist().inv_cdf((1 + confidence) / 2)
