"""What a critic is to the loop. This module knows no model and no environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

__all__ = ["HindsightCritic", "LearnsFromHindsight", "PreCritic", "RecallBy"]

RecallBy = Literal["similarity", "chance"]
"""How experiences are found for a critic; one that has no attribute `recall_by` gets the most similar ones."""


class PreCritic(Protocol):
    """Judges proposed actions before one runs.

    A critic that must see the simulator (evaluation only) also has a method ``attach(env)``,
    which the loop calls with the unwrapped environment at the start of an episode.
    """

    @property
    def id(self) -> str:
        """The critic's name."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same input may get another verdict."""
        ...

    @property
    def recall_k(self) -> int:
        """How many productive, and as many unproductive, experiences it wants to read; 0 for none."""
        ...

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> Sequence[Verdict]:
        """One verdict for each action, in order.

        Args:
            turn: what is known now.
            actions: the proposals, at least one.
            experiences: for each action what the bank recalled, up to ``2 * recall_k``; empty
                lists where there is no bank.
        """
        ...


@runtime_checkable
class LearnsFromHindsight(Protocol):
    """A pre-operative critic that gets better by what hindsight said of the steps it judged."""

    def learned(self, trajectory: Trajectory) -> PreCritic:
        """This critic after one more finished trajectory; itself it stays as it was.

        Trajectories come in stream order, each once; the pre-operative verdicts in them are this critic's.
        """
        ...


class HindsightCritic(Protocol):
    """Judges every step of a finished episode, knowing what came of it."""

    @property
    def id(self) -> str:
        """The critic's name."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same input may get another verdict."""
        ...

    def review(self, trajectory: Trajectory) -> Sequence[Verdict]:
        """One verdict for each step, in order."""
        ...
