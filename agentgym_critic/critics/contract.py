"""The parts an object must have to be a critic, checked before it is used."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from agentgym_critic.critics.safe import failure_detail
from agentgym_critic.registry import Kind

__all__ = ["HINDSIGHT_CRITIC", "PRE_CRITIC", "Contract", "missing_parts"]


class Contract(NamedTuple):
    """One of the two protocols, in the words of its error messages."""

    kind: Kind
    title: str
    method: str
    parameters: tuple[str, ...]
    attributes: dict[str, type]
    other: tuple[str, str]
    """Method and title of the other protocol, which people mistake it for."""


PRE_CRITIC = Contract(
    kind="critic",
    title="pre-operative critic",
    method="judge",
    parameters=("turn", "actions", "experiences"),
    attributes={"id": str, "version": str, "recall_k": int},
    other=("review", "hindsight critic"),
)

HINDSIGHT_CRITIC = Contract(
    kind="hindsight",
    title="hindsight critic",
    method="review",
    parameters=("trajectory",),
    attributes={"id": str, "version": str},
    other=("judge", "pre-operative critic"),
)


def missing_parts(critic: Any, contract: Contract) -> list[str]:
    """What `critic` lacks to be one of that kind, in words."""
    missing = [_wrong_attribute(critic, name, wanted) for name, wanted in contract.attributes.items()]
    return [problem for problem in (_wrong_method(critic, contract), *missing) if problem]


def _wrong_method(critic: Any, contract: Contract) -> str:
    wanted = f"{contract.method}({', '.join(contract.parameters)})"
    method = getattr(critic, contract.method, None)
    if not callable(method):
        other, title = contract.other
        hint = f" (it has {other}: use it as a {title})" if callable(getattr(critic, other, None)) else ""
        return f"it has no method {wanted}{hint}"
    signature = inspect.signature(method)
    try:
        signature.bind(*contract.parameters)
    except TypeError:
        return f"its method {contract.method}{signature} cannot be called as {wanted}"
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
