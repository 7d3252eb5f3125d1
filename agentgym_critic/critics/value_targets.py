"""What a value model learns from stored episodes: for each step, a number in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Trajectory

__all__ = ["Example", "Target", "examples_of"]

Target = Literal["hindsight", "verdict", "return"]
"""What is learnt: the p of the hindsight verdicts, that of the pre-operative ones, or the returns."""


class Example(NamedTuple):
    """One step to learn from."""

    task: str
    state: str
    action: str
    label: float


def examples_of(trajectories: Sequence[Trajectory], target: Target, gamma: float) -> list[Example]:
    """The steps that have a label.

    Args:
        trajectories: stored episodes.
        target: what is learnt. Returns are discounted sums of the rewards from the step on, moved and scaled so that
            the lowest of all is 0 and the highest 1.
        gamma: discount a step.

    Raises:
        ConfigError: no step has a label, or all returns are the same.
    """
    if target not in get_args(Target) or not 0 < gamma <= 1:
        raise ConfigError(f"target is {', '.join(get_args(Target))}, and gamma in (0, 1]; got {target!r} and {gamma}")
    labels = _labels(trajectories, target, gamma)
    examples = [
        Example(trajectory.task, step.observation, step.action.text, label)
        for trajectory, those in zip(trajectories, labels, strict=True)
        for step, label in zip(trajectory.steps, those, strict=True)
        if label is not None
    ]
    if not examples:
        raise ConfigError(f"none of the steps of {len(trajectories)} trajectories has a {target} to learn from")
    return examples


def _labels(trajectories: Sequence[Trajectory], target: Target, gamma: float) -> Sequence[Sequence[float | None]]:
    if target == "return":
        return _scaled_returns(trajectories, gamma)
    said = [
        [step.hindsight if target == "hindsight" else step.verdict for step in trajectory.steps]
        for trajectory in trajectories
    ]
    return [[verdict.p if verdict else None for verdict in those] for those in said]


def _scaled_returns(trajectories: Sequence[Trajectory], gamma: float) -> list[list[float]]:
    returns = [_returns([step.reward for step in trajectory.steps], gamma) for trajectory in trajectories]
    every = [each for those in returns for each in those]
    low, high = min(every, default=0.0), max(every, default=0.0)
    if every and low == high:
        raise ConfigError(f"all {len(every)} steps have the return {low:g}, so there is nothing to tell apart")
    return [[(each - low) / (high - low) for each in those] for those in returns]


def _returns(rewards: Sequence[float], gamma: float) -> list[float]:
    returns: list[float] = []
    for reward in reversed(rewards):
        returns.append(reward + gamma * (returns[-1] if returns else 0.0))
    return returns[::-1]
