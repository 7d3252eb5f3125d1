"""What an agent that picks from the listed actions may pick. Knows no model."""

from __future__ import annotations

from agentgym_critic.errors import AgentError
from agentgym_critic.types import Turn

__all__ = ["choices"]


def choices(turn: Turn, agent_id: str) -> tuple[str, ...]:
    """The admissible actions without those the gate handed back, unless those are all there are.

    Raises:
        AgentError: the actions cannot be listed, or there are none.
    """
    if turn.admissible_actions is None:
        raise AgentError(
            f"agent {agent_id} picks from the listed actions, but this environment cannot list them "
            f"(step {turn.index}); use an agent that writes its own, for example 'lm'",
            agent_id,
        )
    if not turn.admissible_actions:
        raise AgentError(f"agent {agent_id} has no action to pick from at step {turn.index}", agent_id)
    left = tuple(action for action in turn.admissible_actions if action not in turn.rejected)
    return left or turn.admissible_actions
