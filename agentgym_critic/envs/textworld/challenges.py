"""textworld's four challenges: their parameters, defaults and limits.

This module only checks and names parameters; `generate` makes games of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from agentgym_critic.errors import ConfigError, UnknownIdError

__all__ = ["CHALLENGES", "Challenge", "CoinCollector", "Cooking", "Simple", "TreasureHunter", "challenge_of"]


class Challenge(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The parameters of one challenge."""

    def problem(self) -> str:
        """Why the parameters do not fit together; empty if they do."""
        return ""


class Simple(Challenge, frozen=True):
    """A house, a locked bedroom, something to grill."""

    rewards: Literal["dense", "balanced", "sparse"] = "balanced"
    """How many of the steps on the way earn a point."""
    goal: Literal["detailed", "brief", "none"] = "brief"
    """Whether the task recites every step, names the goal, or says nothing."""
    test: bool = False
    """Whether the foods are those held out for tests."""


class Cooking(Challenge, frozen=True):
    """Find the cookbook, gather and prepare ingredients, eat the meal."""

    recipe: Annotated[int, msgspec.Meta(ge=1, le=5)] = 1
    """Number of ingredients."""
    take: Annotated[int, msgspec.Meta(ge=0, le=5)] = 1
    """How many of them must be fetched."""
    go: Literal[1, 6, 9, 12] = 1
    """Number of rooms."""
    open: bool = True
    """Whether containers and doors start closed."""
    cook: bool = True
    """Whether ingredients need cooking."""
    cut: bool = False
    """Whether ingredients need cutting."""
    drop: bool = False
    """Whether the inventory is limited."""
    recipe_seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 0
    """Another recipe for the same world; 0 for the world's own."""
    split: Literal["train", "valid", "test"] | None = None
    """Which foods and preparations are used; None for all."""

    def problem(self) -> str:
        """Nobody can fetch more ingredients than the recipe has."""
        if self.take > self.recipe:
            return f"take={self.take} is more than recipe={self.recipe}"
        if self.recipe_seed and not self.take:
            return f"recipe_seed={self.recipe_seed} needs take of at least 1"
        return ""


class CoinCollector(Challenge, frozen=True):
    """A chain of rooms with dead ends and a coin at its end."""

    level: Annotated[int, msgspec.Meta(ge=1, le=300)] = 5
    """Hundreds: dead ends per room of the chain (0, 1, 2); the rest: length of the chain."""
    goal: Literal["detailed", "brief"] = "brief"
    """Whether the task recites every step or names the goal."""

    def problem(self) -> str:
        """Games of more than 100 rooms cannot be compiled by textworld 1.7."""
        hundreds, rest = divmod(self.level - 1, 100)
        rooms = (hundreds + 1) * (rest + 1)
        return f"level={self.level} has {rooms} rooms, and textworld compiles at most 100" if rooms > 100 else ""


class TreasureHunter(Challenge, frozen=True):
    """A maze, the right object to take and a wrong one that loses the game."""

    level: Annotated[int, msgspec.Meta(ge=1, le=30)] = 5
    """1-10: five rooms; 11-20: ten with doors and containers; 21-30: twenty with locks."""
    goal: Literal["detailed", "brief"] = "brief"
    """Whether the task recites every step or names the goal."""


CHALLENGES: dict[str, type[Challenge]] = {
    "tw-coin_collector": CoinCollector,
    "tw-cooking": Cooking,
    "tw-simple": Simple,
    "tw-treasure_hunter": TreasureHunter,
}
"""The parameters of each challenge, by textworld's name for it."""


def challenge_of(name: str, params: Mapping[str, Any] | None = None) -> Challenge:
    """Check the parameters of a challenge and add its defaults.

    Raises:
        UnknownIdError: no such challenge.
        ConfigError: a parameter is unknown, or its value is refused; the message lists the known ones.
    """
    if name not in CHALLENGES:
        raise UnknownIdError("TextWorld challenge", name, CHALLENGES)
    kind = CHALLENGES[name]
    try:
        challenge = msgspec.convert(dict(params or {}), kind)
        problem = challenge.problem()
    except msgspec.ValidationError as cause:
        problem = str(cause)
    if problem:
        known = ", ".join(f"{field}={default!r}" for field, default in msgspec.to_builtins(kind()).items())
        raise ConfigError(f"{name} refuses params={dict(params or {})!r}: {problem}. Parameters and defaults: {known}.")
    return challenge
