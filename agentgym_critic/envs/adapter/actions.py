"""Words for the actions of a Gymnasium space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium.spaces import Discrete, Space

from agentgym_critic.envs.base import MAX_ACTION_CHARS, clean_action
from agentgym_critic.errors import ConfigError

__all__ = ["named_actions"]


def named_actions(space: Space[Any], actions: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """For each name the action of the space it stands for.

    Args:
        space: the environment's action space.
        actions: a name for each action of a `Discrete` space, in their order; or a mapping from
            names to actions of any space, which need not name all of them.

    Raises:
        ConfigError: the names do not fit the space, or are no actions of a `TextEnv`.
    """
    if isinstance(actions, str) or not isinstance(actions, Sequence | Mapping):
        raise ConfigError(f"actions is a sequence of names or a mapping from names to actions, got {actions!r}")
    names = list(actions)
    for name in names:
        if not isinstance(name, str) or not name or clean_action(name) != name or len(name) > MAX_ACTION_CHARS:
            raise ConfigError(
                f"an action's name is one line of 1 to {MAX_ACTION_CHARS} characters without space around; got {name!r}"
            )
    if len(set(names)) < len(names) or not names:
        raise ConfigError(f"actions are named once each, and one at least; got {names}")
    named = dict(actions) if isinstance(actions, Mapping) else dict(zip(names, _numbers(space, names), strict=True))
    for name, action in named.items():
        if not space.contains(action):
            raise ConfigError(f"the action {name!r} stands for {action!r}, which is not in {space}")
    return named


def _numbers(space: Space[Any], names: list[str]) -> list[int]:
    if not isinstance(space, Discrete):
        raise ConfigError(f"a list of names needs a Discrete action space; for {space} map names to actions")
    if len(names) != space.n:
        raise ConfigError(f"{space} has {space.n} actions, got {len(names)} names: {names}")
    return list(range(int(space.start), int(space.start + space.n)))
