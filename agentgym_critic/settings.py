"""Settings that users name one by one, checked before what takes them is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from agentgym_critic.errors import ConfigError

__all__ = ["check_settings"]


def check_settings(what: str, factory: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Refuse settings that `factory` does not take, or that lack one it needs.

    Args:
        what: whose settings they are, as the subject of the message.
        factory: a class or function; `functools.partial` hides what is not the user's to set.
        settings: its keyword arguments.

    Raises:
        ConfigError: the call would fail; the message names the setting and those there are.
    """
    signature = inspect.signature(factory)
    try:
        signature.bind(**settings)
    except TypeError as cause:
        bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
        taken = signature.replace(parameters=bare, return_annotation=signature.empty)
        raise ConfigError(f"{what}: {cause}; it takes {taken}") from cause
