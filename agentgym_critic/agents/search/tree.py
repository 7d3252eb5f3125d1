"""What a search remembers: moments of the simulator, and the actions that lead from one to another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentgym_critic.types import Action, Turn

__all__ = ["Edge", "Node"]


@dataclass(eq=False, slots=True)
class Edge:
    """An action that may be taken."""

    action: Action
    p: float | None
    """What the critic gave it; None if it is unscored."""
    guess: float
    """`p`, or where it is unscored the mean of its siblings' (0.5 if there is none)."""
    rank: float = 0.5
    """Place among its siblings by `guess`: from 1 for the best to 0 for the last; 0.5 alone."""
    child: Node | None = None
    visits: int = 0
    total: float = 0.0
    """Sum of the values that were found behind it."""

    @property
    def value(self) -> float:
        """Mean of what was found behind it; 0 if nothing was."""
        return self.total / self.visits if self.visits else 0.0


@dataclass(eq=False, slots=True)
class Node:
    """A moment."""

    turn: Turn
    """What a player knows then."""
    snapshot: Any
    key: str
    """The `state_key`."""
    over: bool = False
    """Whether nothing more is to be found behind it."""
    success: bool = False
    edges: list[Edge] | None = None
    """None until it was looked at."""
    rollouts: int = field(default=0)
    """How many began here."""

    @property
    def visits(self) -> int:
        """How often one of its actions was tried."""
        return sum(edge.visits for edge in self.edges or ())
