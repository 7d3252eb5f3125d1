"""The shape of a `TextRanker`: what is saved with its weights."""

from __future__ import annotations

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Record, check_types

__all__ = ["RankerSettings"]


class RankerSettings(Record, frozen=True):
    """What a ranker is made of."""

    buckets: int = 1 << 15
    """Rows of the table that features are hashed into."""
    width: int = 48
    """Numbers that a feature is embedded in."""
    hidden: int = 96
    """Units of the hidden layer."""
    seed: int = 0
    """Of the weights before training."""

    def __post_init__(self) -> None:
        """Refuse shapes that are none.

        Raises:
            ConfigError: names the numbers.
        """
        check_types(self)
        if min(self.buckets, self.width, self.hidden) < 1 or not 0 <= self.seed < 2**63:
            raise ConfigError(f"buckets, width and hidden are at least 1, and the seed at least 0; got {self}")
