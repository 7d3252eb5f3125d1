"""`OfficialGoals`: the goals of the reference in its order, and how it draws sessions among them.

All random numbers come from one stream, as in the reference, so that the same seed gives the same
prices, goals and sessions. Only the compatibility mode needs this; it knows no pages.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from string import ascii_lowercase

from agentgym_critic.envs.webshop.goals import Goal, GoalKind, draw_prices, human_goals, synthetic_goals
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.errors import ConfigError

__all__ = ["OfficialGoals"]

ORDER_SEED = 233
NAME_LENGTH = 10


class OfficialGoals:
    """The goals of a catalogue in the official order: 0-499 test, 500-1499 validation, the rest training.

    Args:
        products: the whole catalogue, in the order of its file.
        kind: which goals.
        rng: where all draws come from; reseeded once the goals are made, so that their order is always the same.
        limit: keep only so many goals, drawn by weight.

    Raises:
        ConfigError: no product has a goal, or the limit is below 1.
    """

    def __init__(self, products: Iterable[Product], kind: GoalKind, rng: Random, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise ConfigError(f"limit must be at least 1 goal; got {limit}")
        known = list(products)
        self._rng = rng
        self.prices = draw_prices(known, rng)
        """In dollars, by asin."""
        self.goals = (human_goals if kind == "human" else synthetic_goals)(known, self.prices, rng)
        if not self.goals:
            raise ConfigError(f"none of the {len(known):,} products has a {kind} goal")
        rng.seed(ORDER_SEED)
        rng.shuffle(self.goals)
        self.cumulative = _cumulative(self.goals)
        """The sum of the weights before each goal, and of all."""
        if limit is not None and limit < len(self.goals):
            self._keep(limit)

    def draw_name(self) -> str:
        """A name for a session that has none."""
        return "".join(self._rng.choices(ascii_lowercase, k=NAME_LENGTH))

    def draw_index(self) -> int:
        """The number of a goal, by weight, but one too high: the first is never drawn, the last twice as often."""
        position = self._rng.uniform(0, self.cumulative[-1])
        return min(bisect(self.cumulative, position), len(self.goals) - 1)

    def _keep(self, limit: int) -> None:
        kept: dict[int, None] = {}
        while len(kept) < limit:
            kept[self.draw_index()] = None
        self.goals = [self.goals[index] for index in kept]
        self.cumulative = _cumulative(self.goals)


def _cumulative(goals: Sequence[Goal]) -> list[float]:
    return list(accumulate((goal.weight for goal in goals), initial=0.0))
