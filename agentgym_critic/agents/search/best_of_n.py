"""`BestOfN`: of several proposals, the one the critic likes best."""

from __future__ import annotations

from collections.abc import Iterator

from agentgym_critic.agents.search.budget import BudgetSpentError
from agentgym_critic.agents.search.scout import Scout, ranked
from agentgym_critic.agents.search.searcher import Plan, Searcher
from agentgym_critic.agents.search.tree import Edge, Node
from agentgym_critic.types import Action

__all__ = ["BestOfN"]


class BestOfN(Searcher):
    """Lets the policy make `candidates` proposals and plays the one with the highest p; of equal ones the first.

    It takes no step itself; a critic that simulates does. With `enough` the proposals are judged one after the other,
    and the first that is good enough is played.
    """

    name = "best-of-n"

    def _choose(self, root: Node, scout: Scout) -> Edge | Plan:
        if self._enough is None:
            return scout.look(root)[0]
        edges: list[Edge] = []
        for edge in self._one_by_one(root, scout):
            edges.append(edge)
            if self._sure([edge]):
                break
        if not edges:
            raise BudgetSpentError("no proposal could be judged", self.name)
        scored = [edge for edge in edges if edge.p is not None]
        return max(scored or edges, key=lambda edge: edge.guess)

    def _one_by_one(self, root: Node, scout: Scout) -> Iterator[Edge]:
        actions: list[Action] = scout.propose(root)
        for action in actions:
            try:
                (verdict,) = scout.judge(root, [action])
            except BudgetSpentError:
                return
            yield from ranked([action], [verdict.p])

    def _settings(self) -> tuple[object, ...]:
        return ()
