"""`Kind`: a kind of product of the generated world. What kinds there are is in ``kinds.toml``."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from agentgym_critic.envs.webshop.world.options import Option, options
from agentgym_critic.envs.webshop.world.tables import entries, table

__all__ = ["Kind", "kinds"]


class Kind(NamedTuple):
    """A kind of product."""

    category: str
    path: str
    """Departments, from the largest, parted by ``/``."""
    query: str
    """What shoppers search for; neighbouring kinds may share it."""
    nouns: tuple[str, ...]
    """What titles call it."""
    materials: tuple[str, ...]
    dollars: float
    """A usual price."""
    options: tuple[Option, ...]
    attributes: tuple[str, ...]
    """All that its products may have: its own, those of its neighbours, and some of what any product may have."""


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of the file."""
    read = table("kinds.toml")
    everywhere = entries(read["everywhere"])
    return tuple(_kind(row, read, everywhere[number % 3 :: 3]) for number, row in enumerate(read["kinds"]))


def _kind(row: dict[str, Any], read: dict[str, Any], everywhere: tuple[str, ...]) -> Kind:
    attributes = (*entries(row["attributes"]), *entries(read["shared"][row["shared"]]), *everywhere)
    return Kind(
        category=row["category"],
        path=row["path"],
        query=row["query"],
        nouns=entries(row["nouns"]),
        materials=tuple([each for each in entries(read["materials"][row["shared"]]) if each not in row["nouns"]]),
        dollars=row["dollars"],
        options=tuple(options()[key] for key in entries(row["options"])),
        attributes=tuple(dict.fromkeys(attributes)),
    )
