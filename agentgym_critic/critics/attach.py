"""Show the simulator to the few that must see it: oracles and demonstrators."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

__all__ = ["attached"]

P = TypeVar("P")


def attached(player: P, env: Any) -> P:
    """A player with a method ``attach(env)`` in a copy of its own that sees `env`; any other as it is."""
    if not hasattr(player, "attach"):
        return player
    own: Any = copy.copy(player)
    own.attach(env)
    return own  # type: ignore[no-any-return]
