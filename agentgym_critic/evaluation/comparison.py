"""`compare_critics`: several critics on the same steps, in several orders of the stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from agentgym_critic.critics.base import PreCritic
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation.calibration import Bin, brier_score, calibration_error, reliability
from agentgym_critic.evaluation.scores import CriticScores, Episode, known_pairs, score_critic
from agentgym_critic.evaluation.stream import WorldOf, judge_stream, shuffled
from agentgym_critic.evaluation.verdict_log import VerdictLog
from agentgym_critic.types import Record, Trajectory

__all__ = ["Comparison", "CriticReport", "CurvePoint", "compare_critics"]

Labels = Mapping[str, Sequence[bool | None]]


class CurvePoint(Record, frozen=True):
    """A critic in one part of the stream: means over the orders, and their standard deviations."""

    position: float
    """Middle of the part, in trajectories."""
    brier: float
    brier_sd: float
    ece: float
    ece_sd: float


class CriticReport(Record, frozen=True):
    """What was measured of one critic."""

    name: str
    critic: str
    """Its id and version."""
    scores: CriticScores
    diagram: list[Bin]
    """Reliability, over all orders."""
    curve: list[CurvePoint]


class Comparison(Record, frozen=True):
    """Critics, each measured on the same steps."""

    trajectories: int
    steps: int
    orders: int
    critics: list[CriticReport]


class _Told(NamedTuple):
    """An episode as a critic met it."""

    trajectory_id: str
    order: int
    position: int
    episode: Episode


def compare_critics(
    trajectories: Sequence[Trajectory],
    labels: Labels,
    critics: Mapping[str, PreCritic],
    log: VerdictLog,
    *,
    orders: int = 1,
    parts: int = 5,
    max_steps: int | None = None,
    resamples: int = 1_000,
    world_of: WorldOf | None = None,
) -> Comparison:
    """Judge all steps with all critics, by the stream protocol, and compare with the truth.

    Args:
        trajectories: with the hindsight verdicts that the critics are to learn from.
        labels: the truth about the steps of each trajectory, by its id; no critic sees it.
        critics: by the names they are reported under.
        log: verdicts that it knows are not asked for again.
        orders: how many orders of the stream; the first is as given.
        parts: points of the learning curve.
        max_steps: of the episodes.
        resamples: of the intervals, over trajectories.
        world_of: finds the world for critics that must see it, as for `judge_stream`.

    Raises:
        ConfigError: there is nothing to compare, or two trajectories have one id.
    """
    if not critics or not trajectories or orders < 1 or parts < 1:
        raise ConfigError(
            f"a comparison needs critics, trajectories, orders and parts; got {len(critics)}, {len(trajectories)}, "
            f"{orders} and {parts}"
        )
    if len({trajectory.id for trajectory in trajectories}) < len(trajectories):
        raise ConfigError("two trajectories have the same id; ids tell what is known about their steps")
    told: dict[str, list[_Told]] = defaultdict(list)
    for order in range(orders):
        for name, position, trajectory, verdicts in judge_stream(
            shuffled(trajectories, order), critics, log, max_steps=max_steps, world_of=world_of
        ):
            episode = Episode(verdicts, labels[trajectory.id])
            told[name].append(_Told(trajectory.id, order, position, episode))
    return Comparison(
        trajectories=len(trajectories),
        steps=sum(len(trajectory.steps) for trajectory in trajectories),
        orders=orders,
        critics=[_report(name, critic, told[name], parts, resamples) for name, critic in critics.items()],
    )


def _report(name: str, critic: PreCritic, told: Sequence[_Told], parts: int, resamples: int) -> CriticReport:
    known = np.concatenate([known_pairs(each.episode) for each in told])
    return CriticReport(
        name=name,
        critic=f"{critic.id}@{critic.version}",
        scores=score_critic(list(_by_trajectory(told)), resamples=resamples),
        diagram=reliability(known[:, 0], known[:, 1]) if len(known) else [],
        curve=list(_curve(told, parts)),
    )


def _by_trajectory(told: Sequence[_Told]) -> Iterator[Episode]:
    """What was said of each trajectory in all orders: its steps are the same ones, and no new evidence."""
    episodes: dict[str, list[Episode]] = defaultdict(list)
    for each in told:
        episodes[each.trajectory_id].append(each.episode)
    for own in episodes.values():
        yield Episode(*([item for part in parts for item in part] for parts in zip(*own, strict=True)))


def _curve(told: Sequence[_Told], parts: int) -> Iterator[CurvePoint]:
    """The parts of the stream in which every order has a scored step whose truth is known."""
    length, orders = 1 + max(each.position for each in told), 1 + max(each.order for each in told)
    edges = np.linspace(0, length, min(parts, length) + 1)
    for low, high in pairwise(edges):
        within = [each for each in told if low <= each.position < high]
        own = [np.concatenate([known_pairs(each.episode) for each in within if each.order == order])
               for order in range(orders)]  # fmt: skip
        if all(len(pairs) for pairs in own):
            brier, ece = ([measure(p[:, 0], p[:, 1]) for p in own] for measure in (brier_score, calibration_error))
            yield CurvePoint(
                position=float(low + high) / 2,
                brier=float(np.mean(brier)),
                brier_sd=float(np.std(brier)),
                ece=float(np.mean(ece)),
                ece_sd=float(np.std(ece)),
            )
