"""Small reviewed trajectories."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from agentgym_critic.types import Action, Step, Trajectory, Verdict

Judged = tuple[str, str, str, float | None]
"""State, action, outcome and p; None for an unscored verdict."""


def _step(index: int, judged: Judged) -> Step:
    state, action, outcome, p = judged
    verdict = Verdict.unscored("judge", "timeout") if p is None else Verdict(p=p, critic="judge")
    return Step(
        index=index, observation=state, action=Action(text=action), next_observation=outcome, reward=0.0,
        hindsight=verdict,
    )  # fmt: skip


def _trajectory(id: str, steps: Iterable[Judged], *, position: int = 0, task: str = "find the mug") -> Trajectory:
    return Trajectory(
        id=id, env_id="Kitchen-v0", task_id="kitchen/1", task=task, seed=0, end="success", stream_position=position,
        steps=tuple(_step(index, judged) for index, judged in enumerate(steps)),
    )  # fmt: skip


@pytest.fixture(scope="session")
def reviewed() -> Callable[..., Trajectory]:
    """`reviewed(id, [(state, action, outcome, p), ...], position=0, task=...)`."""
    return _trajectory
