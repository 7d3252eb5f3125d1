"""Experts that answer at any state, and the agent that asks them while a student plays."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import numpy as np

from agentgym_critic.agents.base import Agent
from agentgym_critic.agents.text_ranker import RankerAgent, TextRanker
from agentgym_critic.critics.attach import attached
from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.training.rows import Row, Tally, row_of
from agentgym_critic.types import Action, Turn

__all__ = ["AgentExpert", "Expert", "Guided", "OracleExpert"]


class Expert(Protocol):
    """Says what is good to do now."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def good_actions(self, env: Any, turn: Turn) -> tuple[str, ...]:
        """All actions that are as good as any, the first being the one it would take itself.

        Args:
            env: the environment, unwrapped, in the state of the turn.
            turn: what a player knows.

        Raises:
            AgentError: it knows none.
        """
        ...


class OracleExpert:
    """All optimal actions, by the environment's solver. Privileged: it sees what the student does not."""

    id = "oracle"

    def good_actions(self, env: Any, turn: Turn) -> tuple[str, ...]:
        """What the solver names.

        Raises:
            AgentError: it knows no way to success from here.
        """
        oracle = env.oracle()
        if oracle is None or not oracle.actions:
            raise AgentError(f"the oracle of {env!r} knows no way to success from step {turn.index}", self.id)
        actions: tuple[str, ...] = oracle.actions
        return actions


class AgentExpert:
    """Whatever an agent proposes, for example `HouseholdExpert`.

    Args:
        agent: proposes by the turn alone, whoever played before.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.id = agent.id

    def good_actions(self, env: Any, turn: Turn) -> tuple[str, ...]:
        """The agent's proposal.

        Raises:
            AgentError: it has none.
        """
        return (attached(self._agent, env).propose(turn).text,)


class Guided:
    """A student that plays while an expert says at every step what would have been good.

    Args:
        ranker: the student; it draws its actions by their scores.
        expert: is asked at every step.
        expert_share: chance that a step is the expert's; 1 for pure demonstrations.
        temperature: of the student.

    Raises:
        ConfigError: the share is none.
    """

    def __init__(self, ranker: TextRanker, expert: Expert, expert_share: float, *, temperature: float = 0.5) -> None:
        if not 0 <= expert_share <= 1:
            raise ConfigError(f"expert_share is in [0, 1], got {expert_share}")
        self._ranker, self._expert, self._share = ranker, expert, expert_share
        self._student = RankerAgent(ranker, temperature=temperature, label="student")
        self.rows: list[Row] = []
        self._dropped: Counter[str] = Counter()
        self._env: Any = None
        self.id = f"guided({expert.id}, {expert_share:g})"

    @property
    def tally(self) -> Tally:
        """Rows so far."""
        return Tally(used=len(self.rows), dropped=dict(self._dropped))

    def attach(self, env: Any) -> None:
        """Take the environment that the expert may look at."""
        self._env = env

    def reset(self, seed: int) -> None:
        """Draw who acts, and the student's actions, from `seed`."""
        self._rng = np.random.default_rng(seed)
        self._student.reset(seed)

    def propose(self, turn: Turn) -> Action:
        """The expert's action or the student's; what the expert says becomes a row.

        Raises:
            AgentError: the actions cannot be listed.
        """
        experts_turn = self._rng.random() < self._share
        try:
            good = self._expert.good_actions(self._env, turn)
        except AgentError:
            self._dropped["the expert knows no action"] += 1
            return self._student.propose(turn)
        row = row_of(self._ranker, turn, good)
        if isinstance(row, str):
            self._dropped[row] += 1
        else:
            self.rows.append(row)
        return Action(text=good[0]) if experts_turn else self._student.propose(turn)
