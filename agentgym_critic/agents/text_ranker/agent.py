"""`RankerAgent`: a `TextRanker` that plays."""

from __future__ import annotations

import math

import numpy as np

from agentgym_critic.agents.calls import call_seed
from agentgym_critic.agents.choices import choices
from agentgym_critic.agents.text_ranker.ranker import TextRanker
from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.types import Action, Turn

__all__ = ["RankerAgent", "load_agent"]


class RankerAgent:
    """Picks the listed action that scores best, or draws one by the scores.

    Actions the gate handed back are not picked again while there are others.

    Args:
        ranker: what scores.
        temperature: 0 picks the best; above, actions are drawn by the softmax of their scores divided by it.
        label: names the ranker; None for the fingerprint of its weights.

    Raises:
        ConfigError: the temperature is out of range.
    """

    def __init__(self, ranker: TextRanker, *, temperature: float = 0.0, label: str | None = None) -> None:
        if not 0 <= temperature < math.inf:
            raise ConfigError(f"temperature is at least 0, got {temperature}")
        self._ranker, self._temperature = ranker, temperature
        self.id = f"text-ranker({label or ranker.fingerprint()}, temperature={temperature:g})"
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Draw the next episode's actions from `seed`."""
        self._seed = seed

    def propose(self, turn: Turn) -> Action:
        """The best action, or one drawn by the scores.

        Raises:
            AgentError: the actions cannot be listed, or a score is no number.
        """
        return self.propose_alternatives(turn, 1)[0]

    def propose_alternatives(self, turn: Turn, n: int) -> list[Action]:
        """The `n` best actions, or `n` drawn by the scores without replacement, best first.

        Raises:
            AgentError: the actions cannot be listed, or a score is no number.
        """
        actions = tuple(dict.fromkeys(choices(turn, self.id)))
        keys = self._ranker.scores(turn, actions)
        if not np.isfinite(keys).all():
            raise AgentError(f"{self.id} scored {actions[int(np.argmin(np.isfinite(keys)))]!r} with no number", self.id)
        if self._temperature > 0:
            rng = np.random.default_rng(call_seed(self._seed, turn))
            keys = keys / self._temperature + rng.gumbel(size=len(keys))  # the Gumbel-max trick
        return [Action(text=actions[place]) for place in np.argsort(-keys, kind="stable")[:n]]


def load_agent(path: str, *, temperature: float = 0.0) -> RankerAgent:
    """The agent of a saved ranker.

    Args:
        path: a file of `TextRanker.save`, or a training checkpoint.
        temperature: of the draws; 0 picks the best.

    Raises:
        ConfigError: there is no such file, or it holds another model.
    """
    return RankerAgent(TextRanker.load(path), temperature=temperature)
