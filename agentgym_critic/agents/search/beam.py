"""`BeamSearch`: follows the few most promising ways some steps ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any, NamedTuple

from agentgym_critic.agents.search.budget import BudgetSpentError
from agentgym_critic.agents.search.scout import Scout
from agentgym_critic.agents.search.searcher import Plan, Searcher
from agentgym_critic.agents.search.tree import Edge, Node
from agentgym_critic.errors import ConfigError

__all__ = ["BeamSearch"]


class _Way(NamedTuple):
    """Some steps from the root."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()

    @property
    def worth(self) -> float:
        """Mean of what the critic gave its steps."""
        return fmean(edge.guess for edge in self.edges)

    @property
    def plan(self) -> Plan:
        """Where it leads, as a plan."""
        return [(node.key, edge.action.text) for node, edge in zip(self.nodes, self.edges, strict=False)]


class BeamSearch(Searcher):
    """Keeps the `width` ways whose steps the critic gives the highest mean p, and plays the first step of the best.

    All actions at the ends of the ways are judged before one of them is tried; only those that are kept take a
    step. A state is kept once. The first way that ends in success is played to its end.

    Args:
        critic: as for every `Searcher`, like the settings that are not named here.
        policy: likewise.
        width: ways that are kept.
        depth: steps that are looked ahead, at most.
        settings: those of every `Searcher`.

    Raises:
        ConfigError: a setting is out of range.
    """

    name = "beam"

    def __init__(self, critic: Any, policy: Any = "random", *, width: int = 4, depth: int = 8, **settings: Any) -> None:
        if width < 1 or depth < 1:
            raise ConfigError(f"width and depth are at least 1; got {width} and {depth}")
        super().__init__(critic, policy, **settings)
        self._width, self._depth = width, depth

    def _choose(self, root: Node, scout: Scout) -> Edge | Plan:
        first = scout.look(root)
        if self._sure(first):
            return first[0]
        beam, best, seen = [_Way((root,))], _Way((root,), (first[0],)), {root.key}
        with suppress(BudgetSpentError):
            for _ in range(self._depth):
                kept: list[_Way] = []
                for way in self._grown(beam, scout, seen):
                    if way.nodes[-1].success:
                        return way.plan
                    kept.append(way)
                beam = kept
                if not beam:
                    break
                best = beam[0]
        return best.edges[0]

    def _grown(self, beam: Sequence[_Way], scout: Scout, seen: set[str]) -> Iterator[_Way]:
        """The ways that are kept, one step longer, best first."""
        longer = [_Way(way.nodes, (*way.edges, edge)) for way in beam for edge in scout.look(way.nodes[-1])]
        places = self._width
        for way in sorted(longer, key=lambda way: -way.worth):
            if not places:
                return
            end = scout.walk(way.nodes[-1], way.edges[-1])
            if end.success or not (end.over or end.key in seen):
                seen.add(end.key)
                places -= 1
                yield way._replace(nodes=(*way.nodes, end))

    def _settings(self) -> tuple[object, ...]:
        return self._width, self._depth
