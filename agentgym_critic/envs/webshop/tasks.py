"""Which goal an episode has: `SplitGoals` by the fixed rules, `OfficialSessions` by the reference's.

Both give an `Errand`. They know neither pages nor rewards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol

import msgspec

from agentgym_critic.envs.webshop.catalogue import Catalogue
from agentgym_critic.envs.webshop.cleaning import LONGEST_NAME, MOST_ATTRIBUTES, MOST_OPTIONS
from agentgym_critic.envs.webshop.goals import Goal, GoalKind
from agentgym_critic.envs.webshop.official import OfficialGoals
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.nouns import NounSource
from agentgym_critic.envs.webshop.reward.score import best_purchase
from agentgym_critic.envs.webshop.splits import SPLITS, UNREACHABLE
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import clean_text

__all__ = ["Errand", "GoalSource", "OfficialSessions", "SplitGoals", "known_splits"]

MOST_OF_GOAL = (MOST_ATTRIBUTES, MOST_OPTIONS, LONGEST_NAME)
"""Attributes, options and characters of a goal of the caller's own."""

OFFICIAL_SPLITS = {"all": slice(None), "test": slice(0, 500), "eval": slice(500, 1500), "train": slice(1500, None)}
"""Places in the official order."""


class Errand(NamedTuple):
    """A goal, and the name of the session that it is pursued in."""

    goal: Goal
    session: str
    instruction: str
    """The request as the player's task, where it differs from the goal's on the page."""


class GoalSource(Protocol):
    """Where the goals of episodes come from."""

    options: frozenset[str]
    """What an episode may ask for."""
    version: str
    """Which goals these are: the same for all who have the same ones."""

    def errand(self, seed: int, options: Mapping[str, Any]) -> Errand:
        """The goal of an episode.

        Args:
            seed: of the episode.
            options: of the episode.

        Raises:
            ConfigError: there is no such goal.
        """

    def price(self, asin: str) -> float:
        """What a product costs, in dollars."""


class SplitGoals:
    """The goals of a split, each by its number.

    Args:
        catalogue: whose goals.
        kind: which of them.
        split: one of `SPLITS`, or ``"unreachable"``.

    Raises:
        ConfigError: the split has none.
    """

    options = frozenset({"goal_id", "goal"})

    def __init__(self, catalogue: Catalogue, kind: GoalKind, split: str) -> None:
        self._catalogue, self._kind, self._split = catalogue, kind, split
        self.size = catalogue.count_goals(kind, split)
        """Number of goals."""
        if not self.size:
            raise ConfigError(f"the split {split!r} has no {kind} goals in this catalogue; try goals= or split=")
        self.version = f"catalogue {catalogue.id} {kind} {split} {self.size}"
        self.price = catalogue.price

    def check(self, nouns: NounSource) -> None:
        """See that buying what is asked for is rewarded, on the first goal.

        Raises:
            ConfigError: it is not; the nouns are the one part of a reward that a user may replace.
        """
        goal = self._catalogue.goal(self._kind, self._split, 0)
        _require_reward(goal, self._catalogue.product(goal.asin), self.price(goal.asin), nouns)

    def errand(self, seed: int, options: Mapping[str, Any]) -> Errand:
        """The goal of a seed, which is its number modulo their count; or the one that the options ask for."""
        goal = self._asked(options) or self._catalogue.goal(self._kind, self._split, seed % self.size)
        return Errand(goal, clean_text(goal.id), clean_text(goal.instruction_text))

    def _asked(self, options: Mapping[str, Any]) -> Goal | None:
        if len(options) > 1:
            raise ConfigError("an episode has either options['goal'] or options['goal_id'], not both")
        if "goal" in options:
            return _given(options["goal"])
        return self._catalogue.goal_of(_named(options["goal_id"])) if "goal_id" in options else None


class OfficialSessions:
    """The goals of the reference in its order, with its prices and its way of naming sessions.

    Args:
        catalogue_id: whose goals they are.
        products: all of the catalogue, in order.
        kind: which goals.
        split: ``"all"``, ``"test"``, ``"eval"`` or ``"train"``: places in the official order.
        seed: of everything that the reference draws.
        limit: keep so many goals, drawn by weight.
        prefix: of the names of sessions.
    """

    options = frozenset({"session", "instruction_text", "goal"})

    def __init__(
        self,
        catalogue_id: str,
        products: Sequence[Product],
        kind: GoalKind,
        split: str = "all",
        seed: int = 0,
        limit: int | None = None,
        prefix: str = "",
    ) -> None:
        self._official = OfficialGoals(products, kind, Random(seed), limit)  # noqa: S311 (a game, no secret)
        self._goals = self._official.goals[OFFICIAL_SPLITS[split]]
        if not self._goals:
            raise ConfigError(f"the split {split!r} has none of the {len(self._official.goals)} goals")
        self._products, self._prefix = products, prefix
        self._kept: dict[str, Goal] = {}
        """Sessions by name: one that comes again keeps its goal, as in the reference."""
        self.version = f"catalogue {catalogue_id} compat {kind} {split} {len(self._goals)} seed {seed}"

    def price(self, asin: str) -> float:
        """What a product costs, in dollars, drawn within its range as the reference draws it."""
        return self._official.prices[asin]

    def check(self, nouns: NounSource) -> None:
        """See that buying what is asked for is rewarded, on the first goal.

        Raises:
            ConfigError: it is not.
        """
        goal = self._goals[0]
        product = next(product for product in self._products if product.asin == goal.asin)
        _require_reward(goal, product, self.price(goal.asin), nouns)

    def errand(self, seed: int, options: Mapping[str, Any]) -> Errand:
        """The goal of a session: a number is a place in the order, anything else draws one by weight.

        Without the option ``session`` the seed is the number, modulo their count; with None for it
        a name and a goal are drawn.
        """
        asked = options.get("session", seed % len(self._goals))
        name = self._prefix + (self._official.draw_name() if asked is None else str(asked))
        if name not in self._kept:
            self._kept[name] = self._goal(asked)
        goal = _given(options["goal"]) if "goal" in options else self._kept[name]
        return Errand(goal, clean_text(name), clean_text(str(options.get("instruction_text", goal.instruction_text))))

    def _goal(self, asked: object) -> Goal:
        if not isinstance(asked, int):
            return self._official.goals[self._official.draw_index()]
        if not -len(self._goals) <= asked < len(self._goals):
            raise ConfigError(f"session {asked}: there are {len(self._goals)} goals, counted from 0")
        return self._goals[asked]


def _require_reward(goal: Goal, product: Product, price: float, nouns: NounSource) -> None:
    if best_purchase(product, goal, price, nouns).score.reward == 0:
        found = list(nouns.nouns(product.title))
        raise ConfigError(f"goal {goal.id} gives no reward; nouns {nouns.id!r} finds {found} in {product.title!r}")


def _named(goal_id: object) -> str:
    if not isinstance(goal_id, str):
        raise ConfigError(f"options['goal_id'] is a text, as info['task_id'] has it; got {goal_id!r:.60}")
    return goal_id


def _given(goal: object) -> Goal:
    """A goal of the caller's own, no larger than those of products."""
    try:
        own = goal if isinstance(goal, Goal) else msgspec.convert(goal, Goal)
    except msgspec.ValidationError as cause:
        raise ConfigError(f"options['goal'] is a Goal or a dictionary of its fields: {cause}") from cause
    sizes = (len(own.attributes), len(own.goal_options), len(own.instruction_text))
    if any(size > most for size, most in zip(sizes, MOST_OF_GOAL, strict=True)):
        raise ConfigError(
            "options['goal'] may have {:,} attributes, {:,} options and a text of {:,} characters; "
            "got {:,}, {:,} and {:,}".format(*MOST_OF_GOAL, *sizes)
        )
    return own


def known_splits(compat: bool) -> tuple[str, ...]:
    """The names of splits."""
    return tuple(OFFICIAL_SPLITS) if compat else (*SPLITS, UNREACHABLE)
