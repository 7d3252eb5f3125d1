"""Levels in a known state, shared by the tests of words, bot and environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentgym_critic.envs.babyai.levels import make_level
from agentgym_critic.errors import require


@pytest.fixture
def empty_room() -> Callable[..., Any]:
    """A room of 8 x 8, empty but for what is given, with the player at column 2, row 4, facing east."""

    def build(things: dict[tuple[int, int], str] | None = None, carrying: str = "") -> Any:
        objects = require("minigrid.core.world_object", "babyai", "a test")
        env = make_level("GoToObj")
        env.reset(seed=0)
        for place, cell in enumerate(env.grid.grid):
            if cell is not None and cell.type != "wall":
                env.grid.grid[place] = None

        def thing(name: str) -> Any:
            colour, kind, *state = name.split()
            extra = {"is_open": "open" in state, "is_locked": "locked" in state} if kind == "door" else {}
            return getattr(objects, kind.capitalize())(colour, **extra)

        for (column, row), name in (things or {}).items():
            env.put_obj(thing(name), column, row)
        env.carrying = thing(carrying) if carrying else None
        env.agent_pos, env.agent_dir = (2, 4), 0
        env.instrs.reset_verifier(env)
        return env

    return build
