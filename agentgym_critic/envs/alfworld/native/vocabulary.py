"""The objects of a game: their ids, types and the names that players see.

Objects are numbered by their rank among the sorted ids, so sorting numbers sorts ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.names import player_names

__all__ = ["Vocabulary"]

MOST_MEMBERS = 200_000
"""Objects of types, counted once for each type that they are of; a real game has up to 584."""


class Vocabulary:
    """The objects that the facts of a game speak of.

    Args:
        types: the type of each object.
        parents: the parent of each type.
        spoken: the ids in the initial facts; only these have a name for players.
    """

    def __init__(self, types: Mapping[str, str], parents: Mapping[str, str], spoken: set[str]) -> None:
        self.ids = sorted(types)
        self.types = [types[object_id] for object_id in self.ids]
        self._ranks = {object_id: rank for rank, object_id in enumerate(self.ids)}
        named = sorted(spoken)
        self._names = dict(zip(named, player_names(named), strict=True))
        self._parents = dict(parents)
        self._of_type = self._by_type()

    def rank(self, object_id: str) -> int:
        """The number of an object."""
        return self._ranks[object_id]

    def name(self, rank: int) -> str:
        """What players call an object."""
        object_id = self.ids[rank]
        return self._names.get(object_id, object_id)

    def of_type(self, kind: str) -> set[int]:
        """The objects of a type and of the types below it."""
        return self._of_type.get(kind, set())

    def is_a(self, rank: int, kind: str) -> bool:
        """Whether an object is of a type or of one below it."""
        return rank in self.of_type(kind)

    def _by_type(self) -> dict[str, set[int]]:
        members: dict[str, list[int]] = defaultdict(list)
        for rank, kind in enumerate(self.types):
            members[kind].append(rank)
        budget = Budget("the objects of each type, those of the types below it included", MOST_MEMBERS)
        found: dict[str, set[int]] = defaultdict(set)
        for kind, ranks in members.items():
            ancestors = self._ancestry(kind)
            budget.spend(len(ranks) * len(ancestors))
            for ancestor in ancestors:
                found[ancestor].update(ranks)
        return dict(found)

    def _ancestry(self, kind: str) -> dict[str, None]:
        line: dict[str, None] = {}
        while kind and kind not in line:
            line[kind] = None
            kind = self._parents.get(kind, "object" if kind != "object" else "")
        return line
