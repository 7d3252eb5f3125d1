"""`TreeSearch`: Monte-Carlo tree search over snapshots, with a critic as value, as prior, or fused with Q.

The fused form is Agent Q's (arXiv 2408.07199): the critic ranks the actions at a node, and an action is worth
``alpha * Q + (1 - alpha) * Q_critic``.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, Literal, get_args

from agentgym_critic.agents.search.budget import BudgetSpentError
from agentgym_critic.agents.search.scout import Scout
from agentgym_critic.agents.search.searcher import Plan, Searcher
from agentgym_critic.agents.search.tree import Edge, Node
from agentgym_critic.errors import ConfigError

__all__ = ["CriticAs", "TreeSearch"]

CriticAs = Literal["fused", "value", "prior"]

Path = list[tuple[Node, Edge]]


class TreeSearch(Searcher):
    """Grows a tree from the present moment, one node a simulation, and plays the action that was tried most.

    A simulation goes down by the highest score, walks one new step, asks what that is worth, and adds this,
    discounted by `gamma` a step, to all actions on the way. With ``N`` tries at a node and ``n`` of an action:

    - ``critic_as="fused"``: score ``alpha * Q + (1 - alpha) * C + c * sqrt(ln N / (1 + n))``, where Q is the mean
      value and C the critic's rank of the action among its siblings, from 1 to 0 (its p with ``by="p"``). A new
      node is worth what one rollout of the policy made of it: 1 discounted for success, else 0.
    - ``"prior"``: score ``Q + c * P * sqrt(N) / (1 + n)``, where P is C as a share of its siblings' (PUCT). Rollouts.
    - ``"value"``: score ``Q + c * sqrt(ln N / (1 + n))``, where Q of an action not tried yet is C. A new node is
      worth C of the action that led there; no rollouts.

    A simulation that succeeds, rollout included, is a way to success, and is played to its end. A state met before
    on the same way is a dead end. What lies behind the action played is kept for the next turn.

    Args:
        critic: as for every `Searcher`, like the settings that are not named here.
        policy: likewise.
        critic_as: what the critic is used for.
        by: whether C is the critic's rank or its p.
        alpha: how much the mean value counts where it is fused.
        c: how much is explored.
        gamma: discount a step.
        horizon: longest rollout, in steps.
        simulations: in a turn, at most.
        settings: those of every `Searcher`.

    Raises:
        ConfigError: a setting is out of range.
    """

    name = "mcts"

    def __init__(
        self,
        critic: Any,
        policy: Any = "random",
        *,
        critic_as: CriticAs = "fused",
        by: Literal["rank", "p"] = "rank",
        alpha: float = 0.5,
        c: float = 0.5,
        gamma: float = 0.95,
        horizon: int = 20,
        simulations: int = 100,
        **settings: Any,
    ) -> None:
        if critic_as not in get_args(CriticAs) or by not in ("rank", "p"):
            raise ConfigError(f"critic_as is fused, value or prior, and by rank or p; got {critic_as!r} and {by!r}")
        if not 0 <= alpha <= 1 or c < 0 or not 0 < gamma <= 1 or horizon < 1 or simulations < 1:
            raise ConfigError(
                "alpha is in [0, 1], c at least 0, gamma in (0, 1], horizon and simulations at least 1; got "
                f"{alpha}, {c}, {gamma}, {horizon} and {simulations}"
            )
        super().__init__(critic, policy, **settings)
        self._critic_as, self._by, self._alpha, self._c, self._gamma = critic_as, by, alpha, c, gamma
        self._horizon, self._simulations = horizon, simulations

    def reset(self, seed: int) -> None:
        """Begin an episode with the whole budget and no tree."""
        super().reset(seed)
        self._tree: Node | None = None

    def _choose(self, root: Node, scout: Scout) -> Edge | Plan:
        root = self._known(root)
        edges = scout.look(root)
        if not self._sure(edges):
            with suppress(BudgetSpentError):
                for _ in range(self._simulations):
                    if plan := self._simulate(root, scout):
                        return plan
        best = max(edges, key=lambda edge: (edge.visits, self._worth(edge), edge.guess))
        self._tree = best.child
        return best

    def _known(self, root: Node) -> Node:
        """What is known of the present moment from earlier turns."""
        tree, self._tree = self._tree, None
        if tree is None or tree.key != root.key or root.turn.rejected:
            return root
        tree.turn, tree.snapshot, tree.over = root.turn, root.snapshot, False
        return tree

    def _simulate(self, root: Node, scout: Scout) -> Plan:
        """Grow the tree by a node; a way to success if it leads to one, else nothing.

        Raises:
            BudgetSpentError: nothing is left to do so.
        """
        path = self._descend(root, scout)
        node, edge = path[-1]
        end = scout.walk(node, edge)
        end.over = end.over or any(end.key == met.key for met, _ in path)
        value, rest = self._evaluate(end, edge, scout)
        self._back_up(path, value)
        return [*((met.key, taken.action.text) for met, taken in path), *rest] if rest or end.success else []

    def _descend(self, root: Node, scout: Scout) -> Path:
        """The way of highest scores, up to an action that was never tried, or to an end."""
        path: Path = []
        node = root
        while True:
            scout.look(node)
            edge = self._highest(node)
            path.append((node, edge))
            if edge.child is None or edge.child.over:
                return path
            node = edge.child

    def _highest(self, node: Node) -> Edge:
        edges, tries = node.edges or [], node.visits
        if self._critic_as == "prior":
            total = sum(map(self._said, edges)) or 1.0
            return max(
                edges, key=lambda e: e.value + self._c * self._said(e) / total * math.sqrt(tries) / (1 + e.visits)
            )
        spread = math.log(max(1, tries))
        return max(edges, key=lambda edge: self._worth(edge) + self._c * math.sqrt(spread / (1 + edge.visits)))

    def _worth(self, edge: Edge) -> float:
        if self._critic_as == "value":
            return edge.value if edge.visits else self._said(edge)
        if self._critic_as == "prior":
            return edge.value
        return self._alpha * edge.value + (1 - self._alpha) * self._said(edge)

    def _said(self, edge: Edge) -> float:
        return edge.rank if self._by == "rank" else edge.guess

    def _evaluate(self, end: Node, edge: Edge, scout: Scout) -> tuple[float, Plan]:
        """What a node is worth, and the way to success from it that was seen."""
        if end.over:
            return float(end.success), ()
        if self._critic_as == "value":
            return self._said(edge), ()
        played = scout.play_on(end, self._horizon)
        return (self._gamma ** len(played.path), played.path) if played.success else (0.0, ())

    def _back_up(self, path: Path, value: float) -> None:
        for _, edge in reversed(path):
            edge.visits += 1
            edge.total += value
            value *= self._gamma

    def _settings(self) -> tuple[object, ...]:
        return (
            self._critic_as, self._by, self._alpha, self._c, self._gamma, self._horizon, self._simulations
        )  # fmt: skip
