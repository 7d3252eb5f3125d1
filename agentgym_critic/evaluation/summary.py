"""A run in a dozen numbers. Unscored verdicts are counted, and never averaged in."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from agentgym_critic.types import Record, Step, Trajectory, Verdict

__all__ = ["Summary", "summarize"]


class Summary(Record, frozen=True):
    """Totals and means over trajectories; None where there is nothing to take a mean of."""

    episodes: int
    success: float | None
    """Share of episodes that ended in success."""
    episode_return: float | None
    """Mean undiscounted return."""
    steps: int
    invalid_actions: int
    interventions: int
    """Those that were carried out."""
    undone: int
    """Steps that ran and were taken back; not among `steps`."""
    p_before: float | None
    """Mean p of the scored pre-operative verdicts."""
    p_after: float | None
    """Mean p of the scored hindsight verdicts."""
    compared: int
    """Steps that both critics judged and neither left undecided at 0.5."""
    agreement: float | None
    """Share of the compared steps on which both verdicts point the same way."""
    majority: float | None
    """What `agreement` would be for a critic that always says what hindsight said most often."""
    unscored_before: int
    unscored_after: int
    unscored_why: dict[str, int]
    """Unscored verdicts of both critics by failure class and detail, the most frequent first; at most five."""
    tokens: int
    seconds: float
    ended: dict[str, int]
    """Episodes by the reason they ended."""


def summarize(trajectories: Iterable[Trajectory]) -> Summary:
    """Sum up trajectories, each held in memory only while it is read."""
    parts = [_Part(trajectory) for trajectory in trajectories]
    compared = [pair for part in parts for pair in part.compared]
    said = Counter(after for _, after in compared)
    why = Counter(reason for part in parts for reason in part.unscored_why)
    return Summary(
        episodes=len(parts),
        success=_mean(float(part.success) for part in parts),
        episode_return=_mean(part.episode_return for part in parts),
        steps=sum(part.steps for part in parts),
        invalid_actions=sum(part.invalid_actions for part in parts),
        interventions=sum(part.interventions for part in parts),
        undone=sum(part.undone for part in parts),
        p_before=_mean(chain.from_iterable(part.before for part in parts)),
        p_after=_mean(chain.from_iterable(part.after for part in parts)),
        compared=len(compared),
        agreement=_mean(float(before == after) for before, after in compared),
        majority=max(said.values()) / len(compared) if compared else None,
        unscored_before=sum(part.unscored_before for part in parts),
        unscored_after=sum(part.unscored_after for part in parts),
        unscored_why=dict(why.most_common(5)),
        tokens=sum(part.tokens for part in parts),
        seconds=math.fsum(part.seconds for part in parts),
        ended=dict(Counter(part.end for part in parts)),
    )


class _Part:
    """The numbers of one trajectory."""

    def __init__(self, trajectory: Trajectory) -> None:
        steps = trajectory.steps
        self.success, self.end = trajectory.success, str(trajectory.end)
        self.episode_return, self.seconds = trajectory.episode_return, trajectory.seconds
        self.steps, self.tokens = len(steps), trajectory.cost.tokens
        self.invalid_actions = sum(step.invalid_action for step in steps)
        self.interventions = sum(not each.dropped for each in trajectory.held_back)
        self.undone = len(trajectory.ran) - len(steps)
        self.before, self.unscored_before = _scores(step.verdict for step in steps)
        self.after, self.unscored_after = _scores(step.hindsight for step in steps)
        self.compared = [pair for step in steps if (pair := _labels(step))]
        self.unscored_why = [why for step in steps for why in (_why(step.verdict), _why(step.hindsight)) if why]


def _scores(verdicts: Iterable[Verdict | None]) -> tuple[list[float], int]:
    """The scores, and how many verdicts are unscored."""
    given = [verdict for verdict in verdicts if verdict]
    scores = [verdict.p for verdict in given if verdict.p is not None]
    return scores, len(given) - len(scores)


def _labels(step: Step) -> tuple[str, str] | None:
    before, after = (verdict and verdict.label for verdict in (step.verdict, step.hindsight))
    return (before, after) if before and after else None


def _why(verdict: Verdict | None) -> str:
    if verdict is None or verdict.scored:
        return ""
    return f"{verdict.failure}: {verdict.failure_detail[:200]}" if verdict.failure_detail else str(verdict.failure)


def _mean(numbers: Iterable[float]) -> float | None:
    values = list(numbers)
    return math.fsum(values) / len(values) if values else None
