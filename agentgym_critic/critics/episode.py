"""A finished episode as a prompt: task, ending and steps are shown as every review shows them, the rest is asked."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_critic.critics.scene import ENDINGS, steps_done
from agentgym_critic.critics.templates import template
from agentgym_critic.lm.base import Message, user
from agentgym_critic.prompts import fill, quote
from agentgym_critic.types import Step, Trajectory

__all__ = ["episode_prompt"]


def episode_prompt(name: str, trajectory: Trajectory, steps: Sequence[Step], **fields: str) -> list[Message]:
    """The chat of a packaged prompt about consecutive steps of a trajectory.

    Args:
        name: of the prompt; it has the fields ``task``, ``ending``, ``steps``, ``first`` and ``last``.
        trajectory: the episode.
        steps: those shown, at least one.
        fields: what else the prompt has a place for; untrusted text is quoted by the caller.
    """
    text = fill(
        template(name),
        task=quote(trajectory.task),
        ending=f"{ENDINGS[trajectory.end]} Total reward {trajectory.episode_return:g}.",
        steps=steps_done(steps),
        first=str(steps[0].index + 1),
        last=str(steps[-1].index + 1),
        **fields,
    )
    return [user(text)]
