"""What a stored episode looked like when it was played: the turn of each step, and the truth about it.

The truth comes from the environment's oracle, by playing the actions again. It is for measuring critics
and never given to one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.oracle import OracleCritic
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.errors import EnvError, boundary
from agentgym_critic.types import Trajectory, Turn, exchange, undone_by

__all__ = ["true_labels", "turns_of"]


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


def true_labels(env: gymnasium.Env[str, str], trajectory: Trajectory) -> list[bool | None]:
    """For each step whether it was productive, by the environment's oracle; None where that cannot tell.

    What "productive" means, and where it is unknown, is `OracleCritic`'s to say.

    Args:
        env: as the trajectory was made in; it is played.
        trajectory: a stored episode.

    Raises:
        EnvError: the environment failed, or what is seen differs from what was stored: it is another
            environment, another version, or has other settings.
    """
    judge = attached(OracleCritic(), env.unwrapped)
    labels: list[bool | None] = []
    with boundary(f"environment {env}", EnvError):
        _, info = env.reset(seed=trajectory.seed)
        for turn, step in zip(turns_of(trajectory), trajectory.steps, strict=True):
            _require_same(trajectory, step.index, step.state_key, info)
            (verdict,) = safe_judge(judge, turn, [step.action], [()])
            labels.append(None if verdict.p is None else verdict.p == 1.0)
            *_, info = env.step(step.action.text)
    return labels


def _require_same(trajectory: Trajectory, index: int, state_key: str, info: dict[str, Any]) -> None:
    if info.get("state_key", "") != state_key:
        raise EnvError(
            f"trajectory {trajectory.id} cannot be played again: step {index} began in state {state_key!r} and now "
            f"begins in {info.get('state_key', '')!r}; make the environment with the version and settings of its run",
            trajectory.env_id,
        )
