"""`Option`: what a shopper chooses, such as a color. What options there are is in ``options.toml``."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from agentgym_critic.envs.webshop.world.tables import entries, table

__all__ = ["Option", "options"]


class Option(NamedTuple):
    """Something to choose."""

    name: str
    values: tuple[str, ...]
    """All there are; a product has some of them."""
    said: tuple[str, ...]
    """How people name a value, which takes the place of ``{}``."""


@cache
def options() -> dict[str, Option]:
    """All options by key; several may share a name."""
    read = table("options.toml")
    return {key: Option(row["name"], entries(row["values"]), entries(row["said"])) for key, row in read.items()}
