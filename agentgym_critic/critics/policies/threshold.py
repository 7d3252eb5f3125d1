"""`ThresholdPolicy`: intervene where the critic sees little chance."""

from __future__ import annotations

from agentgym_critic.types import Record, Turn, Verdict

__all__ = ["ThresholdPolicy"]


class ThresholdPolicy(Record, frozen=True, tag=True):
    """Intervenes on verdicts below a threshold; what a gate without a policy does."""

    threshold: float

    @property
    def id(self) -> str:
        """The name and the threshold."""
        return f"threshold({self.threshold:g})"

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        """Whether `p` is below the threshold."""
        return verdict.p is not None and verdict.p < self.threshold
