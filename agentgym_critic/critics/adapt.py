"""Make a critic of whatever a user has: an object, a class, a function, a name, a plugin."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from agentgym_critic import registry
from agentgym_critic.critics.base import HindsightCritic, PreCritic
from agentgym_critic.critics.contract import HINDSIGHT_CRITIC, PRE_CRITIC, Contract, missing_parts
from agentgym_critic.critics.functions import FunctionCritic, FunctionHindsightCritic, name_of
from agentgym_critic.errors import ConfigError

__all__ = ["CriticLike", "HindsightCriticLike", "as_critic", "as_hindsight_critic"]

CriticLike = PreCritic | Callable[..., Any] | str
"""What `as_critic` makes a critic of."""

HindsightCriticLike = HindsightCritic | Callable[..., Any] | str
"""What `as_hindsight_critic` makes a critic of."""


def as_critic(source: Any, **settings: Any) -> PreCritic:
    """A pre-operative critic from what a user gives.

    Args:
        source: an object with the parts of `PreCritic`; a class or factory of one; a function
            ``(turn, action) -> float | Verdict | None``; or the name of any of these: a registered
            name, ``"package.module:attribute"`` or an installed plugin. A function that requires
            exactly two positional arguments judges, any other is a factory.
        settings: keyword arguments of the class or factory.

    Raises:
        UnknownIdError: nothing of that name.
        ConfigError: it is no critic (the message says what is missing), or takes no such settings.
        ComponentError: its module or constructor raised.
    """
    critic: PreCritic = _adapt(PRE_CRITIC, FunctionCritic, 2, source, settings)
    return critic


def as_hindsight_critic(source: Any, **settings: Any) -> HindsightCritic:
    """A hindsight critic from what a user gives.

    Args:
        source: as for `as_critic`, with the parts of `HindsightCritic`; a function is
            ``(trajectory) -> list[float | Verdict | None]``, one answer for each step. A function
            that requires exactly one positional argument reviews, any other (or any that is given
            settings) is a factory.
        settings: keyword arguments of the class or factory.

    Raises:
        UnknownIdError: nothing of that name.
        ConfigError: it is no critic (the message says what is missing), or takes no such settings.
        ComponentError: its module or constructor raised.
    """
    critic: HindsightCritic = _adapt(HINDSIGHT_CRITIC, FunctionHindsightCritic, 1, source, settings)
    return critic


def _adapt(contract: Contract, wrap: Callable[[Any], Any], arity: int, source: Any, settings: dict[str, Any]) -> Any:
    """What `source` stands for; a function that requires `arity` positional arguments is wrapped."""
    name = source if isinstance(source, str) else name_of(source)
    target = registry.resolve(contract.kind, source) if isinstance(source, str) else source
    if hasattr(target, contract.method) and not isinstance(target, type):
        critic = _taken(name, target, settings)
    elif not settings and _requires(target, arity):
        critic = wrap(target)
    else:
        made = registry.build(contract.kind, name, target, settings)
        is_function = not hasattr(made, contract.method) and _requires(made, arity)
        critic = wrap(made) if is_function else made
    if missing := missing_parts(critic, contract):
        raise ConfigError(f"{name} is no {contract.title}: {'; '.join(missing)}. See docs/critics.md.")
    return critic


def _taken(name: str, critic: Any, settings: dict[str, Any]) -> Any:
    if settings:
        raise ConfigError(f"{name} is an object, not a class, and takes no settings: {sorted(settings)}")
    return critic


def _requires(target: Any, arity: int) -> bool:
    """Whether `target` is a function that must be given exactly so many positional arguments."""
    if isinstance(target, type) or not callable(target):
        return False
    try:
        parameters = inspect.signature(target).parameters.values()
    except ValueError:  # a built-in that does not tell
        return False
    required = [it for it in parameters if it.default is it.empty and it.kind not in _VARIADIC]
    return len(required) == arity and all(it.kind is not it.KEYWORD_ONLY for it in required)


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
