"""The truth about the steps of a stored episode.

It comes from the environment's oracle, by playing the actions again. It is for measuring critics
and never given to one.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.oracle import OracleCritic
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.errors import EnvError, boundary
from agentgym_critic.turns import turns_of
from agentgym_critic.types import Trajectory

__all__ = ["true_labels"]


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
