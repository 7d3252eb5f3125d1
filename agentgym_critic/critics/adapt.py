"""Make a critic of whatever a user has: an object, a class, a function, a name, a plugin."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from agentgym_critic import registry
from agentgym_critic.critics.base import HindsightCritic, PreCritic
from agentgym_critic.critics.functions import FunctionCritic, FunctionHindsightCritic, name_of
from agentgym_critic.critics.safe import failure_detail
from agentgym_critic.errors import ConfigError

__all__ = ["as_critic", "as_hindsight_critic", "missing_parts"]

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
    critic: PreCritic = _adapt(_PRE, source, settings)
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
    critic: HindsightCritic = _adapt(_HINDSIGHT, source, settings)
    return critic


class _Role(NamedTuple):
    """What tells the two kinds of critics apart."""

    kind: registry.Kind
    title: str
    method: str
    parameters: tuple[str, ...]
    attributes: dict[str, type]
    function: tuple[str, ...]
    """Parameters of a function that stands for a critic."""
    wrap: Callable[[Any], Any]
    other: tuple[str, str]
    """Method and title of the other kind."""


_PRE = _Role(
    kind="critic",
    title="pre-operative critic",
    method="judge",
    parameters=("turn", "actions", "experiences"),
    attributes={"id": str, "version": str, "recall_k": int},
    function=("turn", "action"),
    wrap=FunctionCritic,
    other=("review", "hindsight critic"),
)
_HINDSIGHT = _Role(
    kind="hindsight",
    title="hindsight critic",
    method="review",
    parameters=("trajectory",),
    attributes={"id": str, "version": str},
    function=("trajectory",),
    wrap=FunctionHindsightCritic,
    other=("judge", "pre-operative critic"),
)


def _adapt(role: _Role, source: Any, settings: dict[str, Any]) -> Any:
    name = source if isinstance(source, str) else name_of(source)
    target = registry.resolve(role.kind, source) if isinstance(source, str) else source
    critic = target if _is_instance(role, target) else _made(role, name, target, settings)
    if critic is target and settings:
        raise ConfigError(f"{name} is an object, not a class, and takes no settings: {sorted(settings)}")
    if missing := missing_parts(critic, role.kind):
        raise ConfigError(f"{name} is no {role.title}: {'; '.join(missing)}. See docs/critics.md.")
    return critic


def _is_instance(role: _Role, target: Any) -> bool:
    """Whether `target` is meant to be a critic already, rather than to make one."""
    return not isinstance(target, type) and (hasattr(target, role.method) or not callable(target))


def _made(role: _Role, name: str, target: Any, settings: dict[str, Any]) -> Any:
    if not settings and _requires(target, len(role.function)):
        return role.wrap(target)
    made = registry.build(role.kind, name, target, settings)
    is_function = not _is_instance(role, made) and not isinstance(made, type) and _requires(made, len(role.function))
    return role.wrap(made) if is_function else made


def _requires(target: Any, arguments: int) -> bool:
    """Whether `target` is a function that must be given exactly so many positional arguments."""
    if isinstance(target, type):
        return False
    parameters = inspect.signature(target).parameters.values()
    required = [
        it for it in parameters if it.default is it.empty and it.kind not in (it.VAR_POSITIONAL, it.VAR_KEYWORD)
    ]
    return len(required) == arguments and all(it.kind is not it.KEYWORD_ONLY for it in required)


def missing_parts(critic: Any, kind: registry.Kind) -> list[str]:
    """What `critic` lacks to be one of that kind (``"critic"`` or ``"hindsight"``), in words."""
    role = _PRE if kind == "critic" else _HINDSIGHT
    missing = [_wrong_attribute(critic, name, wanted) for name, wanted in role.attributes.items()]
    return [problem for problem in (_wrong_method(critic, role), *missing) if problem]


def _wrong_method(critic: Any, role: _Role) -> str:
    wanted = f"{role.method}({', '.join(role.parameters)})"
    method = getattr(critic, role.method, None)
    if not callable(method):
        other, title = role.other
        hint = f" (it has {other}: use it as a {title})" if callable(getattr(critic, other, None)) else ""
        return f"it has no method {wanted}{hint}"
    signature = inspect.signature(method)
    try:
        signature.bind(*role.parameters)
    except TypeError:
        return f"its method {role.method}{signature} cannot be called as {wanted}"
    return ""


def _wrong_attribute(critic: Any, name: str, wanted: type) -> str:
    try:
        value = getattr(critic, name)
    except AttributeError:
        return f"it has no attribute {name} ({wanted.__name__})"
    except Exception as error:
        return f"its attribute {name} raised {failure_detail(error)}"
    if not isinstance(value, wanted) or isinstance(value, bool):
        return f"its attribute {name} is {value!r}, not of type {wanted.__name__}"
    if value == "":
        return f"its attribute {name} is empty"
    if isinstance(value, int) and value < 0:
        return f"its attribute {name} is {value}; it is at least 0"
    return ""
