"""`Kind`: a kind of product of the generated world. What kinds there are is in ``kinds.toml``."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from agentgym_critic.envs.webshop.world.tables import entries, table

__all__ = ["Kind", "kinds"]


class Kind(NamedTuple):
    """A kind of product."""

    category: str
    path: str
    """Departments, from the largest, parted by ``/``."""
    query: str
    """What shoppers search for."""
    nouns: tuple[str, ...]
    """What titles call it."""
    dollars: float
    """A usual price."""
    options: tuple[str, ...]
    """Keys of the options in ``words.toml``."""
    attributes: tuple[str, ...]


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of the file."""
    read = table("kinds.toml")
    return tuple(_kind(row, read["shared"]) for row in read["kinds"])


def _kind(row: dict[str, Any], shared: dict[str, str]) -> Kind:
    attributes = (*entries(shared.get(row.get("shared", ""), "")), *entries(row["attributes"]))
    return Kind(
        category=row["category"],
        path=row["path"],
        query=row["query"],
        nouns=entries(row["nouns"]),
        dollars=row["dollars"],
        options=entries(row["options"]),
        attributes=attributes,
    )
