"""The options of a purchase against those of a goal. Knows neither prices nor texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentgym_critic.envs.webshop.choices import Choices, choices
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.colours import colour_of, colour_of_pair
from agentgym_critic.envs.webshop.reward.matching import alike

__all__ = ["best_options", "count_met"]

GoalOptions = Mapping[str, str] | Sequence[str]


def count_met(wanted: GoalOptions, chosen: Iterable[str]) -> int:
    """How many of the options of a goal some chosen value meets.

    The values of a goal's named options keep their shades (``navy blue``) while chosen ones lose them
    (``blue``), as in the reference; so a few goals are not met by the very values they name.
    """
    values = {colour_of(value) for value in chosen}
    return sum(any(alike(value, option) for value in values) for option in _spelled(wanted))


def best_options(
    product: Product, wanted: GoalOptions, chosen: Mapping[str, str] | None = None, possible: Choices = choices
) -> dict[str, str]:
    """The fewest values to choose that meet as many of the options of a goal as can be met together.

    Args:
        product: what is to be bought.
        wanted: the options of the goal.
        chosen: values that are chosen already; any of them may be kept or replaced.
        possible: which values a click can choose.
    """
    spelled, kept = _spelled(wanted), chosen or {}
    owners = possible(product)
    best: dict[int, dict[str, str]] = {0: {}}
    for name, values in product.options.items():
        met = {_met(spelled, value): value for value in reversed(values) if owners.get(value) == name}
        stays = _met(spelled, kept[name]) if name in kept else 0
        after: dict[int, dict[str, str]] = {}
        for before, picked in best.items():
            _offer(after, before | stays, picked)
            for more, value in met.items():
                _offer(after, before | more, {**picked, name: value})
        best = after
    return min(best.items(), key=lambda item: (-item[0].bit_count(), len(item[1])))[1]


def _offer(best: dict[int, dict[str, str]], met: int, choices: dict[str, str]) -> None:
    """Keep the choices if they are the fewest that meet this."""
    if met not in best or len(choices) < len(best[met]):
        best[met] = choices


def _met(spelled: Sequence[str], value: str) -> int:
    """Which options a value meets, as bits."""
    shade = colour_of(value)
    return sum(alike(shade, option) << bit for bit, option in enumerate(spelled))


def _spelled(wanted: GoalOptions) -> list[str]:
    """The options of a goal as they are compared."""
    if isinstance(wanted, Mapping):
        return [colour_of_pair(name, value) for name, value in wanted.items()]
    return [colour_of(value) for value in wanted]
