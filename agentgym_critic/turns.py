"""The turns of a stored episode: what was known before each of its steps. Plays nothing."""

from __future__ import annotations

from collections.abc import Iterator

from agentgym_critic.types import Trajectory, Turn, exchange, undone_by

__all__ = ["turns_of"]


def turns_of(trajectory: Trajectory, max_steps: int | None = None) -> Iterator[Turn]:
    """The turn of each step, as the loop gave it, but for advice on proposals that were held back.

    Args:
        trajectory: a stored episode.
        max_steps: its limit, which trajectories do not keep; None leaves `Turn.steps_left` unknown.
    """
    history = tuple(map(exchange, trajectory.steps))
    undone = 0
    for index, step in enumerate(trajectory.steps):
        undone += len(undone_by(step.interventions))
        yield Turn(
            task=trajectory.task,
            observation=step.observation,
            admissible_actions=step.admissible_actions,
            history=history[:index],
            index=index,
            steps_left=None if max_steps is None else max_steps - index - undone,
        )
