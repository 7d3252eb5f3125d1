"""`Budget`: what a search may spend in an episode; `Meter`: what it has spent. Knows no environment and no model."""

from __future__ import annotations

import math

import msgspec

from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Cost, Record

__all__ = ["Budget", "BudgetSpentError", "Meter"]


class BudgetSpentError(EnvError):
    """No more steps or tokens may be spent in this turn."""


class Budget(Record, frozen=True):
    """Limits of a whole episode; None for none.

    A turn may spend `share` of what is left, so that early turns, from which a search sees furthest to go, get most
    and late ones are not left without.

    Raises:
        ConfigError: a limit is below 0, or the share outside (0, 1].
    """

    env_steps: int | None = 1_000
    """Steps in the simulator, those of critics and rollouts included; those of the episode itself are free."""
    tokens: int | None = None
    """Prompt and completion tokens of policy and critic. What a call takes is known only after it, so the last
    one may go over."""
    share: float = 0.25

    def __post_init__(self) -> None:
        """Refuse limits that make no sense."""
        amounts = [amount for amount in (self.env_steps, self.tokens) if amount is not None]
        if any(amount < 0 for amount in amounts) or not 0 < self.share <= 1:
            raise ConfigError(
                "env_steps and tokens are at least 0, or None for no limit, and share is in (0, 1]; got "
                f"{self.env_steps}, {self.tokens} and {self.share}"
            )


class Meter:
    """Counts what is spent, and refuses what would go over a budget.

    Args:
        budget: of the episode.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.spent = self.before = Cost()
        self._most_steps = self._most_tokens = math.inf
        self.begin_turn()

    @property
    def turn(self) -> Cost:
        """What this turn has spent."""
        now, before = self.spent, self.before
        return Cost(
            calls=now.calls - before.calls,
            prompt_tokens=now.prompt_tokens - before.prompt_tokens,
            completion_tokens=now.completion_tokens - before.completion_tokens,
            env_steps=now.env_steps - before.env_steps,
        )

    @property
    def steps_left(self) -> float:
        """Steps in this turn; infinite where there is no limit."""
        return self._most_steps - self.spent.env_steps

    def begin_turn(self) -> None:
        """Allow the next turn its share."""
        self.before = self.spent
        self._most_steps = self.spent.env_steps + self._allowance(self._budget.env_steps, self.spent.env_steps)
        self._most_tokens = self.spent.tokens + self._allowance(self._budget.tokens, self.spent.tokens)

    def step(self) -> None:
        """Count one step.

        Raises:
            BudgetSpentError: none is left.
        """
        if self.steps_left < 1:
            raise BudgetSpentError("this turn's steps in the simulator are spent", "search budget")
        self.spent += Cost(env_steps=1)

    def call(self, cost: Cost) -> None:
        """Count what a policy or critic cost, but for its steps, which `step` has counted."""
        self.spent += msgspec.structs.replace(cost, env_steps=0, seconds=0.0)

    def require_tokens(self) -> None:
        """Begin nothing that may take tokens once they are spent.

        Raises:
            BudgetSpentError: none is left.
        """
        if self.spent.tokens >= self._most_tokens:
            raise BudgetSpentError("this turn's tokens are spent", "search budget")

    def _allowance(self, limit: int | None, spent: int) -> float:
        return math.inf if limit is None else math.ceil(max(0, limit - spent) * self._budget.share)
