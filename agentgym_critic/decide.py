"""How an action is chosen: the agent proposes, the critic judges, the gate decides.

Knows no environment; what happens after an action is chosen is the loop's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from agentgym_critic.agents.base import Agent, ProposesAlternatives
from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.errors import AgentError, boundary
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.types import Action, Experience, Intervention, Turn, Verdict

__all__ = ["Decider", "Decision"]


class Decision(NamedTuple):
    """The action that will run, and how it came to be chosen."""

    action: Action
    verdict: Verdict | None = None
    """The judgement of `action`; None without a critic."""
    interventions: tuple[Intervention, ...] = ()
    """Proposals the gate did not let through, in order."""


class Decider:
    """Chooses the actions of one episode, within the gate's budget for it.

    Args:
        agent: proposes.
        critic: judges every proposal; None lets all proceed unjudged.
        gate: turns verdicts into interventions.
        bank: what the critic may recall.
        recall_before: experiences of this and later stream positions stay unseen; None sees all.
    """

    def __init__(
        self, agent: Agent, critic: PreCritic | None, gate: Gate, bank: MemoryBank | None, recall_before: int | None
    ) -> None:
        self.agent, self._critic, self._gate = agent, critic, gate
        self._bank, self._recall_before = bank, recall_before
        self._interventions_used = 0

    def decide(self, turn: Turn) -> Decision:
        """The action for this turn, judged, after whatever interventions the gate saw fit.

        Raises:
            AgentError: the agent failed; LMError if its language model did.
        """
        action = self._propose(turn)
        if self._critic is None:
            return Decision(action)
        verdict = self._judge(turn, [action])[0]
        interventions: list[Intervention] = []
        while (kind := self._gate.decide(turn, verdict, self._interventions_used)) != "proceed":
            self._interventions_used += 1
            interventions.append(Intervention(kind=kind, action=action, verdict=verdict))
            turn = _advised(turn, action, verdict)
            action, verdict = self._warn(turn) if kind == "warn" else self._regenerate(turn, action, verdict)
        return Decision(action, verdict, tuple(interventions))

    def _propose(self, turn: Turn) -> Action:
        with boundary(f"agent {self.agent.id}", AgentError):
            return _checked(self.agent, self.agent.propose(turn))

    def _judge(self, turn: Turn, actions: Sequence[Action]) -> list[Verdict]:
        assert self._critic is not None
        return safe_judge(self._critic, turn, actions, [self._recall(turn, action) for action in actions])

    def _recall(self, turn: Turn, action: Action) -> list[Experience]:
        k = self._critic.recall_k if self._critic else 0
        return self._bank.recall(turn, action, k, before=self._recall_before) if self._bank and k else []

    def _warn(self, turn: Turn) -> tuple[Action, Verdict]:
        """The agent, told the critique, proposes again."""
        action = self._propose(turn)
        return action, self._judge(turn, [action])[0]

    def _regenerate(self, turn: Turn, first: Action, verdict: Verdict) -> tuple[Action, Verdict]:
        """The best of several proposals, the first one included; ties keep the earlier."""
        others = [action for action in self._alternatives(turn) if action.text != first.text]
        judged = [(first, verdict), *zip(others, self._judge(turn, others) if others else [], strict=True)]
        return max(judged, key=lambda pair: -1.0 if pair[1].p is None else pair[1].p)

    def _alternatives(self, turn: Turn) -> list[Action]:
        n = self._gate.alternatives
        with boundary(f"agent {self.agent.id}", AgentError):
            if isinstance(self.agent, ProposesAlternatives):
                proposals = self.agent.propose_alternatives(turn, n)
            else:
                proposals = [self.agent.propose(turn) for _ in range(n)]
            return list({_checked(self.agent, action).text: action for action in proposals}.values())


def _advised(turn: Turn, action: Action, verdict: Verdict) -> Turn:
    advice = verdict.critique or f"A critic gives the action {action.text!r} a chance of {verdict.p:.0%} to help."
    return msgspec.structs.replace(turn, advice=advice, rejected=(*turn.rejected, action.text))


def _checked(agent: Agent, action: object) -> Action:
    if not isinstance(action, Action):
        raise AgentError(f"agent {agent.id} proposed {action!r}; propose() returns an Action", agent.id)
    return action
