"""What an agent is to the loop: something that proposes an action for a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from agentgym_critic.types import Action, Turn

__all__ = ["Agent", "ProposesAlternatives"]


class Agent(Protocol):
    """Chooses actions. One agent plays one episode at a time.

    An agent that must see the simulator (an oracle, a demonstrator) also has a method
    ``attach(env)``, which the loop calls with the unwrapped environment before `reset`.
    """

    @property
    def id(self) -> str:
        """Name and version: changes whenever the same turn may get another proposal."""
        ...

    def reset(self, seed: int) -> None:
        """Forget the last episode; draw all randomness of the next from `seed`."""
        ...

    def propose(self, turn: Turn) -> Action:
        """The action to run now. `turn.advice` holds a critique if a proposal was handed back.

        Raises:
            LMContextError: the turn does not fit the model; the episode ends as `context`.
        """
        ...


@runtime_checkable
class ProposesAlternatives(Protocol):
    """An agent that can make several proposals at once, cheaper than one after the other."""

    def propose_alternatives(self, turn: Turn, n: int) -> Sequence[Action]:
        """Up to `n` proposals with different texts, best first."""
        ...
