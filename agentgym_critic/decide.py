"""How an action is chosen: the agent proposes, the critic judges, the gate decides.

Knows no environment; what happens after an action is chosen is the loop's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from agentgym_critic.agents.base import Agent, ProposesAlternatives
from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.critics.recall import recalled_for
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.errors import (
    AgentError,
    ConfigError,
    LMContextError,
    MissingDataError,
    MissingExtraError,
    boundary,
)
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.types import Action, Cost, EndReason, Intervention, Step, Turn, Verdict, to_builtins

__all__ = ["Decider", "Decision", "Ending"]


class Decision(NamedTuple):
    """The action that will run, and how it came to be chosen."""

    action: Action
    verdict: Verdict | None = None
    """The judgement of `action`; None without a critic."""
    interventions: tuple[Intervention, ...] = ()
    """The proposal the gate held back, if it did."""


class Ending(NamedTuple):
    """No action will run any more."""

    reason: EndReason
    interventions: tuple[Intervention, ...]
    """The proposal the gate held back, if it did."""


class Decider:
    """Chooses the actions of one episode, within the gate's budget for it.

    Args:
        agent: proposes.
        critic: judges every proposal; None lets all proceed unjudged.
        gate: turns verdicts into interventions.
        bank: what the critic may recall.
        recall_before: experiences of this and later stream positions stay unseen; None sees all.
        undo: takes the last step back, and tells it and the turn as it is now; only for the gate's `rollback`.
    """

    def __init__(
        self,
        agent: Agent,
        critic: PreCritic | None,
        gate: Gate,
        bank: MemoryBank | None,
        recall_before: int | None,
        undo: Callable[[], tuple[Step, Turn]],
    ) -> None:
        self.agent, self._critic, self._gate = agent, critic, gate
        self._bank, self._recall_before, self._undo = bank, recall_before, undo
        self._interventions_used, self._armed = 0, True

    def decide(self, turn: Turn) -> Decision | Ending:
        """The action for this turn, judged, after whatever intervention the gate saw fit.

        After a rollback it is an action for the turn before. Nothing runs if the gate stops the episode, or if
        the prompt outgrew the agent's language model.

        Raises:
            AgentError: the agent failed; LMError if its language model did.
        """
        held_back: list[Intervention] = []
        try:
            return self._decide(turn, held_back)
        except LMContextError:
            return Ending("context", tuple(held_back))

    def _decide(self, turn: Turn, held_back: list[Intervention]) -> Decision | Ending:
        action, verdict = self._proposal(turn)
        if verdict is None:
            return Decision(action)
        kind = self._gate.decide(turn, verdict, self._interventions_used, self._armed)
        if kind == "proceed":
            return Decision(action, verdict)
        dropped = _dropped(turn, action, verdict) if kind == "substitute" else ""
        held_back.append(Intervention(kind=kind, action=action, verdict=verdict, dropped=dropped))
        if dropped:
            return Decision(action, verdict, tuple(held_back))
        self._interventions_used, self._armed = self._interventions_used + 1, False
        if kind == "stop":
            return Ending("stopped", tuple(held_back))
        if kind == "rollback":
            undone, turn = self._undo()
            taken_back = msgspec.structs.replace(held_back.pop(), undone=_alone(undone))
            held_back += [*undone.interventions, taken_back]
        action, verdict = self._instead(_advised(turn, held_back), held_back[-1])
        return Decision(action, verdict, tuple(held_back))

    def _instead(self, turn: Turn, held_back: Intervention) -> tuple[Action, Verdict | None]:
        """What runs after an intervention."""
        if held_back.kind == "regenerate":
            return self._regenerate(turn, held_back.action, held_back.verdict)
        if held_back.kind == "substitute":
            action = Action(text=_suggested(held_back.verdict))
            return action, self._judge(turn, [action])[0]
        return self._proposal(turn)

    def _proposal(self, turn: Turn) -> tuple[Action, Verdict | None]:
        """What the agent proposes, judged if there is a critic."""
        action = self._propose(turn)
        return action, self._judge(turn, [action])[0] if self._critic else None

    def _propose(self, turn: Turn) -> Action:
        with _agents_fault(self.agent):
            proposal = self.agent.propose(turn)
        return _checked(self.agent, proposal)

    def _judge(self, turn: Turn, actions: Sequence[Action]) -> list[Verdict]:
        assert self._critic is not None
        critic, bank, before = self._critic, self._bank, self._recall_before
        experiences = [recalled_for(critic, bank, turn, action, before) for action in actions]
        verdicts = safe_judge(critic, turn, actions, experiences)
        self._armed = self._armed or any(map(self._gate.rearms, verdicts))
        return verdicts

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


def _alone(undone: Step) -> Step:
    """A step without what was held back before it, which now belongs to the step that runs in its place."""
    return msgspec.structs.replace(undone, interventions=())


def _advised(turn: Turn, held_back: Sequence[Intervention]) -> Turn:
    """The turn in which the agent proposes again, told why."""
    action, verdict = held_back[-1].action, held_back[-1].verdict
    advice = verdict.critique or f"A critic gives the action {action.text!r} a chance of {verdict.p:.0%} to help."
    if held_back[-1].undone:
        advice = f"It was tried and taken back because of what came next, the action {action.text!r}. {advice}"
    rejected = [(each.undone.action if each.undone else each.action).text for each in held_back]
    return msgspec.structs.replace(turn, advice=advice, rejected=tuple(dict.fromkeys(reversed(rejected)))[::-1])


def _dropped(turn: Turn, action: Action, verdict: Verdict) -> str:
    """Why the critic's suggestion cannot run instead; empty if it can."""
    suggestion = _suggested(verdict)
    if not suggestion:
        return "the critic suggests nothing"
    if turn.admissible_actions is None:
        return f"the suggestion {suggestion!r} cannot be checked: the possible actions are not listed here"
    if suggestion not in turn.admissible_actions:
        return f"the suggestion {suggestion!r} is not possible here"
    return f"the suggestion {suggestion!r} is the proposal itself" if suggestion == action.text else ""


def _suggested(verdict: Verdict) -> str:
    return " ".join(verdict.suggestion.split())


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
