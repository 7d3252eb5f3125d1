"""How an action is chosen: the agent proposes, the critic judges, the gate decides.

Knows no environment; what happens after an action is chosen is the loop's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from agentgym_critic.agents.base import Agent, ProposesAlternatives
from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.critics.recall import recalled_for
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.errors import AgentError, ConfigError, MissingDataError, MissingExtraError, boundary
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.types import Action, Cost, Intervention, Turn, Verdict, to_builtins

__all__ = ["Decider", "Decision"]


class Decision(NamedTuple):
    """The action that will run, and how it came to be chosen."""

    action: Action
    verdict: Verdict | None = None
    """The judgement of `action`; None without a critic."""
    interventions: tuple[Intervention, ...] = ()
    """The proposal the gate held back, if it did."""


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
        kind = self._gate.decide(turn, verdict, self._interventions_used)
        if kind == "proceed":
            return Decision(action, verdict)
        self._interventions_used += 1
        held_back = Intervention(kind=kind, action=action, verdict=verdict)
        turn = _advised(turn, action, verdict)
        action, verdict = self._warn(turn) if kind == "warn" else self._regenerate(turn, action, verdict)
        return Decision(action, verdict, (held_back,))

    def _propose(self, turn: Turn) -> Action:
        with _agents_fault(self.agent):
            proposal = self.agent.propose(turn)
        return _checked(self.agent, proposal)

    def _judge(self, turn: Turn, actions: Sequence[Action]) -> list[Verdict]:
        assert self._critic is not None
        critic, bank, before = self._critic, self._bank, self._recall_before
        experiences = [recalled_for(critic, bank, turn, action, before) for action in actions]
        return safe_judge(critic, turn, actions, experiences)

    def _warn(self, turn: Turn) -> tuple[Action, Verdict]:
        """The agent, told the critique, proposes again."""
        action = self._propose(turn)
        return action, self._judge(turn, [action])[0]

    def _regenerate(self, turn: Turn, first: Action, verdict: Verdict) -> tuple[Action, Verdict]:
        """The best of several proposals, the first one included; ties keep the earlier.

        What all alternatives cost is the chosen one's; the first proposal's own cost is the
        intervention's.
        """
        proposals = self._alternatives(turn)
        others = list({each.text: each for each in reversed(proposals) if each.text != first.text}.values())[::-1]
        verdicts = self._judge(turn, others) if others else []
        judged = [(first, verdict), *zip(others, verdicts, strict=True)]
        action, best = max(judged, key=lambda pair: -1.0 if pair[1].p is None else pair[1].p)
        proposing, judging = (sum((each.cost for each in group), Cost()) for group in (proposals, verdicts))
        return msgspec.structs.replace(action, cost=proposing), msgspec.structs.replace(best, cost=judging)

    def _alternatives(self, turn: Turn) -> list[Action]:
        n = self._gate.alternatives
        with _agents_fault(self.agent):
            if isinstance(self.agent, ProposesAlternatives):
                proposals = list(self.agent.propose_alternatives(turn, n))[:n]
            else:
                proposals = [self.agent.propose(turn) for _ in range(n)]
        return [_checked(self.agent, action) for action in proposals]


def _advised(turn: Turn, action: Action, verdict: Verdict) -> Turn:
    advice = verdict.critique or f"A critic gives the action {action.text!r} a chance of {verdict.p:.0%} to help."
    return msgspec.structs.replace(turn, advice=advice, rejected=(*turn.rejected, action.text))


@contextmanager
def _agents_fault(agent: Agent) -> Iterator[None]:
    """What an agent raises is its own fault, a record that it made wrong too."""
    try:
        with boundary(f"agent {agent.id}", AgentError):
            yield
    except (MissingDataError, MissingExtraError):
        raise
    except ConfigError as cause:
        raise AgentError(f"agent {agent.id}: {cause}", agent.id) from cause


def _checked(agent: Agent, action: object) -> Action:
    """The action if it can be stored: records do not check their types when they are made."""
    if not isinstance(action, Action):
        raise AgentError(f"agent {agent.id} proposed {action!r}; propose() returns an Action", agent.id)
    try:
        return msgspec.convert(to_builtins(action), Action)
    except (msgspec.ValidationError, TypeError, ConfigError) as cause:
        raise AgentError(f"agent {agent.id} proposed an Action that cannot be stored: {cause}", agent.id) from cause
