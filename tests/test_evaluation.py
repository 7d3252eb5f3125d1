"""Summaries count what is unscored and never average it in."""

from __future__ import annotations

import msgspec
import pytest
from samples import simple_trajectory

from agentgym_critic.evaluation import summarize
from agentgym_critic.types import Trajectory, Verdict


def judged(*pairs: tuple[float | None, float | None]) -> Trajectory:
    trajectory = simple_trajectory(steps=len(pairs))
    steps = tuple(
        msgspec.structs.replace(step, verdict=_verdict(before), hindsight=_verdict(after))
        for step, (before, after) in zip(trajectory.steps, pairs, strict=True)
    )
    return msgspec.structs.replace(trajectory, steps=steps)


def _verdict(p: float | None) -> Verdict:
    return Verdict(p=p, critic="c", failure=None if p is not None else "timeout")


def test_nothing_gives_no_means() -> None:
    summary = summarize([])
    assert (summary.episodes, summary.success, summary.p_before, summary.agreement) == (0, None, None, None)


def test_unscored_verdicts_are_counted_and_not_averaged() -> None:
    summary = summarize([judged((0.9, 0.8), (None, 0.2), (0.7, None))])
    assert summary.p_before == pytest.approx(0.8)
    assert summary.p_after == pytest.approx(0.5)
    assert (summary.unscored_before, summary.unscored_after) == (1, 1)
    assert summary.unscored_why == {"timeout": 2}


def test_agreement_is_over_steps_both_critics_decided() -> None:
    summary = summarize([judged((0.9, 0.8), (0.4, 0.8), (0.5, 0.9), (None, 0.9)), judged((0.1, 0.2))])
    assert summary.compared == 3
    assert summary.agreement == pytest.approx(2 / 3)
    assert summary.majority == pytest.approx(2 / 3)
    assert summary.steps == 5
    assert summary.episodes == 2
    assert summary.success == 1.0
    assert summary.ended == {"success": 2}
