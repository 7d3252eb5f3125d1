"""`RandomAgent`: the baseline that knows nothing."""

from __future__ import annotations

import random

from agentgym_critic.agents.choices import choices
from agentgym_critic.types import Action, Turn

__all__ = ["RandomAgent"]


class RandomAgent:
    """Picks uniformly among the admissible actions that the gate has not handed back."""

    id = "random"

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Draw the picks of the next episode from `seed`."""
        self._rng = random.Random(seed)  # noqa: S311 - a game, not a secret

    def propose(self, turn: Turn) -> Action:
        """One admissible action.

        Raises:
            AgentError: the actions cannot be listed.
        """
        return Action(text=self._rng.choice(choices(turn, self.id)))

    def propose_alternatives(self, turn: Turn, n: int) -> list[Action]:
        """Up to `n` different admissible actions.

        Raises:
            AgentError: the actions cannot be listed.
        """
        actions = list(dict.fromkeys(choices(turn, self.id)))
        return [Action(text=text) for text in self._rng.sample(actions, min(n, len(actions)))]
