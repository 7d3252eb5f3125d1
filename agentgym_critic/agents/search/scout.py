"""`Scout`: what a search can do at a moment: look at its actions, walk on, play to the end. Decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from agentgym_critic.agents.base import Agent, ProposesAlternatives
from agentgym_critic.agents.search.budget import BudgetSpentError, Meter
from agentgym_critic.agents.search.simulator import Simulator
from agentgym_critic.agents.search.tree import Edge, Node
from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.recall import recalled_for
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.critics.simulation import Played, play_on, seed_of, turn_after
from agentgym_critic.errors import EnvError, boundary
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.types import Action, Turn, Verdict

__all__ = ["Scout"]


class Scout:
    """Moves the simulator about; whoever uses it takes the simulator back.

    Chance comes from the seed and from what was done up to a moment, so what is found does not depend on the order
    in which moments are visited.

    Args:
        simulator: counts its steps.
        policy: proposes the actions and plays rollouts; its own copy.
        critic: judges the actions; its own copy, which sees the simulator if it sees any.
        bank: what the critic may recall.
        meter: counts tokens.
        candidates: actions at a moment, at most.
        least: actions with a lower p are not followed, unless all have.
        seed: of all chance.
    """

    def __init__(
        self,
        simulator: Simulator,
        policy: Agent,
        critic: PreCritic,
        bank: MemoryBank | None,
        meter: Meter,
        *,
        candidates: int,
        least: float,
        seed: int,
    ) -> None:
        self.meter = meter
        self._simulator, self._policy, self._critic, self._bank = simulator, policy, critic, bank
        self._candidates, self._least, self._seed = candidates, least, seed

    def root(self, turn: Turn) -> Node:
        """The moment the simulator is in."""
        return self._here(turn, self._simulator.current()[1], over=False)

    def propose(self, node: Node) -> list[Action]:
        """The policy's proposals at a moment: different texts, its own first choice first.

        Raises:
            BudgetSpentError: no tokens are left.
        """
        self.meter.require_tokens()
        self._simulator.restore(node.snapshot)
        self._policy.reset(self._seed_at(node, "look"))
        actions = self._proposals(node.turn)
        for action in actions:
            self.meter.call(action.cost)
        return list({action.text: action for action in reversed(actions)}.values())[::-1][: self._candidates]

    def own_choice(self, node: Node) -> Action:
        """What the policy plays by itself, whatever is left to spend."""
        self._simulator.restore(node.snapshot)
        self._policy.reset(self._seed_at(node, "look"))
        action = self._policy.propose(node.turn)
        self.meter.call(action.cost)
        return action

    def judge(self, node: Node, actions: Sequence[Action]) -> list[Verdict]:
        """The critic's verdicts on actions at a moment.

        Raises:
            BudgetSpentError: no tokens are left.
        """
        self.meter.require_tokens()
        self._simulator.restore(node.snapshot)
        recalled = [recalled_for(self._critic, self._bank, node.turn, action, None) for action in actions]
        verdicts = safe_judge(self._critic, node.turn, actions, recalled)
        for verdict in verdicts:
            self.meter.call(verdict.cost)
        return verdicts

    def look(self, node: Node) -> list[Edge]:
        """The actions at a moment with what the critic says of them, best first; equal ones in the policy's order.

        Raises:
            BudgetSpentError: no tokens are left.
        """
        if node.edges is None:
            actions = self.propose(node)
            node.edges = ranked(actions, [verdict.p for verdict in self.judge(node, actions)], self._least)
        return node.edges

    def walk(self, node: Node, edge: Edge) -> Node:
        """The moment after an action.

        Raises:
            BudgetSpentError: no step is left.
        """
        if edge.child is None:
            self._simulator.restore(node.snapshot)
            with boundary(f"environment {self._simulator!r}", EnvError):
                observation, _, terminated, truncated, info = self._simulator.step(edge.action.text)
            turn = turn_after(node.turn, edge.action.text, observation, info)
            edge.child = self._here(turn, info, over=bool(terminated or truncated))
        return edge.child

    def play_on(self, node: Node, horizon: int) -> Played:
        """What the policy makes of a moment, in `horizon` steps at most, and in as many as are left.

        Raises:
            BudgetSpentError: no step, or no tokens are left.
        """
        self.meter.require_tokens()
        limit = min(horizon, self.meter.steps_left)
        if limit < 1:
            raise BudgetSpentError("no steps are left for a rollout", "search budget")
        self._simulator.restore(node.snapshot)
        self._policy.reset(self._seed_at(node, node.rollouts))
        node.rollouts += 1
        with boundary(f"environment {self._simulator!r}", EnvError):
            played = play_on(self._simulator, node.turn, None, self._policy, int(limit))
        self.meter.call(played.cost)
        return played

    def _proposals(self, turn: Turn) -> list[Action]:
        if isinstance(self._policy, ProposesAlternatives):
            return list(self._policy.propose_alternatives(turn, self._candidates))
        return [self._policy.propose(turn) for _ in range(self._candidates)]

    def _here(self, turn: Turn, info: dict[str, Any], *, over: bool) -> Node:
        won = bool(over and info.get("success"))
        return Node(turn, self._simulator.snapshot(), str(info.get("state_key", "")), over=over, success=won)

    def _seed_at(self, node: Node, purpose: object) -> int:
        return seed_of(self._seed, [past.action for past in node.turn.history], node.turn.rejected, purpose)


def ranked(actions: Sequence[Action], said: Sequence[float | None], least: float = 0.0) -> list[Edge]:
    """Actions as edges, best first; those below `least` are dropped, unless all are.

    >>> [(edge.action.text, edge.guess, edge.rank) for edge in ranked([Action(text="a"), Action(text="b")], [0.2, 0.6])]
    [('b', 0.6, 1.0), ('a', 0.2, 0.0)]
    """
    known = [p for p in said if p is not None]
    mean = fmean(known) if known else 0.5
    edges = [Edge(action, p, mean if p is None else p) for action, p in zip(actions, said, strict=True)]
    edges = [edge for edge in edges if edge.guess >= least] or edges
    edges.sort(key=lambda edge: -edge.guess)
    for edge in edges if len(edges) > 1 else ():
        higher = sum(other.guess > edge.guess for other in edges)
        equal = sum(other.guess == edge.guess for other in edges) - 1
        edge.rank = 1.0 - (higher + equal / 2) / (len(edges) - 1)
    return edges
