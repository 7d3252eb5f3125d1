"""`CriticScores`: a critic in a few numbers, with intervals, from what it said of steps whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.evaluation.bootstrap import Interval, bootstrap
from agentgym_critic.evaluation.calibration import BrierParts, brier_parts, calibration_error
from agentgym_critic.evaluation.discrimination import area_under_roc, selective_risk
from agentgym_critic.types import Cost, Record, Verdict

__all__ = ["CriticScores", "Episode", "known_pairs", "score_critic"]

Rows: TypeAlias = NDArray[np.float64]


class Episode(NamedTuple):
    """What a critic said of the steps of an episode, and what is true; both as long as the episode."""

    verdicts: Sequence[Verdict]
    labels: Sequence[bool | None]


class CriticScores(Record, frozen=True):
    """Measured on the steps that are both scored and labelled; the others are counted."""

    episodes: int
    steps: int
    """Scored and labelled."""
    unscored: int
    unlabelled: int
    productive: float | None
    """Share of the steps that were productive: what a critic without any skill would say."""
    ece: Interval
    """Ten bins of equal width."""
    ece_mass: Interval
    """Ten bins of equal mass."""
    brier: Interval
    brier_parts: BrierParts | None
    auc: Interval
    aurc: Interval
    """Mean of the risk-coverage curve."""
    cost: Cost
    """Of all verdicts, those that could not be scored included."""


def score_critic(episodes: Sequence[Episode], *, resamples: int = 1_000, seed: int = 0) -> CriticScores:
    """Compare verdicts with the truth.

    Args:
        episodes: independent of each other; what was said of one in several orders belongs into one.
        resamples: of the intervals, which are over episodes.
        seed: of the intervals.

    Raises:
        ConfigError: there are no episodes.
    """
    rows = [known_pairs(episode) for episode in episodes]
    known = np.concatenate(rows) if rows else np.empty((0, 2))
    verdicts = [verdict for episode in episodes for verdict in episode.verdicts]

    def interval(statistic: Callable[[Rows, Rows], float | None]) -> Interval:
        return bootstrap(rows, lambda drawn: statistic(drawn[:, 0], drawn[:, 1]), resamples=resamples, seed=seed)

    return CriticScores(
        episodes=len(episodes),
        steps=len(known),
        unscored=sum(verdict.p is None for verdict in verdicts),
        unlabelled=sum(label is None for episode in episodes for label in episode.labels),
        productive=float(known[:, 1].mean()) if len(known) else None,
        ece=interval(calibration_error),
        ece_mass=interval(lambda p, y: calibration_error(p, y, binning="mass")),
        brier=interval(lambda p, y: float(np.mean((p - y) ** 2))),
        brier_parts=brier_parts(known[:, 0], known[:, 1]) if len(known) else None,
        auc=interval(area_under_roc),
        aurc=interval(lambda p, y: float(selective_risk(p, y).mean())),
        cost=sum((verdict.cost for verdict in verdicts), Cost()),
    )


def known_pairs(episode: Episode) -> Rows:
    """The p and the truth of the steps that have both, float64 `[steps, 2]`."""
    pairs = zip(episode.verdicts, episode.labels, strict=True)
    both = [(verdict.p, label) for verdict, label in pairs if verdict.p is not None and label is not None]
    return np.array(both, dtype=np.float64).reshape(-1, 2)
