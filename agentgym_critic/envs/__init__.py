"""Environments. Importing this module registers their ids with Gymnasium and loads none of them."""

from __future__ import annotations

from typing import Any

import gymnasium

from agentgym_critic.envs.base import Outcome, Snapshot, TextEnv
from agentgym_critic.errors import EnvError, UnknownIdError, boundary

__all__ = ["Outcome", "Snapshot", "TextEnv", "env_ids", "make_env"]

NAMESPACE = "agentgym_critic"

_ENTRY_POINTS = {
    "Sokoban-v0": "agentgym_critic.envs.sokoban:SokobanEnv",
    "ALFWorld-v0": "agentgym_critic.envs.alfworld:make_alfworld",
    "TextWorld-v0": "agentgym_critic.envs.textworld:TextWorldEnv",
}

for _name, _entry_point in _ENTRY_POINTS.items():
    # TextEnv enforces the order of calls itself, and unwrapped environments can be saved and restored.
    gymnasium.register(
        f"{NAMESPACE}/{_name}", entry_point=_entry_point, order_enforce=False, disable_env_checker=True
    )


def env_ids() -> list[str]:
    """The ids of this package's environments, sorted."""
    return sorted(f"{NAMESPACE}/{name}" for name in _ENTRY_POINTS)


def make_env(env_id: str, **settings: Any) -> gymnasium.Env[str, str]:
    """Build an environment, of this package or any other registered with Gymnasium.

    Args:
        env_id: for example ``"agentgym_critic/Sokoban-v0"``; ``"my_package:MyEnv-v0"`` imports
            ``my_package`` first, as `gymnasium.make` does.
        settings: keyword arguments of the environment.

    Raises:
        UnknownIdError: no such id; the message names the nearest.
        ConfigError: the environment refuses the settings.
        EnvError: its constructor raised.
    """
    with boundary(f"environment {env_id}", EnvError):
        try:
            return gymnasium.make(env_id, disable_env_checker=True, **settings)
        except (gymnasium.error.UnregisteredEnv, gymnasium.error.MalformedID) as cause:
            known = [*env_ids(), *gymnasium.registry]
            raise UnknownIdError("environment", env_id, known, "Run `agentgym-critic envs` for a list.") from cause
