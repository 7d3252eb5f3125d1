"""From what a user gives as `opponent` to who plays: a name of the world's own, a class, or an agent."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from agentgym_critic.envs.base import clean_action
from agentgym_critic.envs.versus.guest import Guest
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError, abridged, boundary

__all__ = ["invite"]

LONGEST_NAME = 80
"""Characters of an opponent's id that count: it is part of task ids."""


def invite(opponent: Any, house: Iterable[str]) -> Guest | str:
    """Who holds the other seat: the name of one of the world's own players, or a guest.

    Args:
        opponent: such a name, a ``"pkg.mod:Class"`` string, a class or function without arguments
            that makes an agent, or an agent.
        house: the names of the world's own players.

    Raises:
        ConfigError: it is none of these, or wants to see the simulator.
        UnknownIdError: there is no such name, module or class.
        EnvError: the module or the class raised.
    """
    if isinstance(opponent, str):
        if opponent in house:
            return opponent
        opponent = _load(opponent, house)
    if isinstance(opponent, type) or (callable(opponent) and not hasattr(opponent, "propose")):
        with boundary(f"opponent {abridged(opponent)}", EnvError):
            opponent = opponent()
    for method in ("reset", "propose"):
        if not callable(getattr(opponent, method, None)):
            raise ConfigError(
                f"an opponent is one of {', '.join(house)}, an agent with reset(seed) and propose(turn), or the "
                f"'pkg.mod:Class' of one; {opponent!r} has no method {method}"
            )
    if hasattr(opponent, "attach"):
        raise ConfigError(
            f"the opponent {_name(opponent)!r} wants to see the simulator (it has a method attach); an opponent sees "
            "what its side may know, and nothing else"
        )
    return Guest(opponent, f"opponent {_name(opponent)}")


def _name(opponent: Any) -> str:
    return clean_action(str(getattr(opponent, "id", "")))[:LONGEST_NAME] or type(opponent).__name__


def _load(path: str, house: Iterable[str]) -> Any:
    module, _, attribute = path.partition(":")
    if not (module and attribute) or module.startswith("."):
        raise UnknownIdError("opponent", path, house, "An agent works too, or the 'pkg.mod:Class' of one.")
    with boundary(f"opponent {path}", EnvError):
        try:
            return getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as cause:
            if cause.name is None or not f"{module}.".startswith(f"{cause.name}."):
                raise
            raise UnknownIdError("opponent", path, house, f"No module named {module!r} can be imported.") from cause
        except AttributeError as cause:
            public = [name for name in vars(importlib.import_module(module)) if not name.startswith("_")]
            raise UnknownIdError(f"attribute of {module}", attribute, public) from cause
