"""What a policy is to the gate."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from agentgym_critic.types import Turn, Verdict

__all__ = ["InterventionPolicy"]


@runtime_checkable
class InterventionPolicy(Protocol):
    """Says whether to intervene now, or to let the proposal run.

    It is asked only where the gate could intervene: the verdict is scored, the budget is not used up, and this
    step was not held back before. It keeps no state, so that a gate can be shared by episodes.
    """

    @property
    def id(self) -> str:
        """Its name and settings; runs are resumed only with an equal one."""
        ...

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        """Whether to intervene.

        Args:
            turn: what is known now.
            verdict: the judgement of the proposal; its `p` is a number.
            interventions_left: budget of the episode, at least 1.
        """
        ...
