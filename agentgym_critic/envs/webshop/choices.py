"""What of a product's options a click can choose. Knows the names of buttons, and no page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from agentgym_critic.envs.base import clean_action
from agentgym_critic.envs.webshop.actions import Command, parse
from agentgym_critic.envs.webshop.pages import BUTTONS
from agentgym_critic.envs.webshop.product import Product

__all__ = ["Choices", "choices", "choices_to_the_letter", "told_apart"]

Choices = Callable[[Product], Mapping[str, str]]
"""The values that can be chosen, each with its option: of several that have it, the last."""


def choices(product: Product) -> Mapping[str, str]:
    """All values but those that read like a button, like an earlier value, or like nothing."""
    owners = _owners(product)
    return {value: owners[value] for value in told_apart(owners) if clean_action(value) not in BUTTONS}


def choices_to_the_letter(product: Product) -> Mapping[str, str]:
    """All values that an action can spell as the reference reads it, but for those named like a button."""
    return {
        value: name
        for value, name in _owners(product).items()
        if value not in BUTTONS and parse(f"click[{value}]") == Command("click", value)
    }


def told_apart(names: Iterable[str]) -> list[str]:
    """The first of all names that read alike; spaces of any kind are equal.

    >>> told_apart(["a b", "c", " a  b", ""])
    ['a b', 'c']
    """
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(clean_action(name), name)
    return [name for read, name in first.items() if read]


def _owners(product: Product) -> dict[str, str]:
    return {value: name for name, values in product.options.items() for value in values}
