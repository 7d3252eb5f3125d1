"""`RandomPolicy`: intervene by chance, so that what interventions do can be told from where they are made."""

from __future__ import annotations

import hashlib

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Record, Turn, Verdict, check_types, to_json

__all__ = ["RandomPolicy"]


class RandomPolicy(Record, frozen=True, tag=True):
    """Intervenes at a rate, whatever the critic says: the experiment that `plan_helper` learns from.

    The same turn always gets the same answer, in any process; episodes that differ in anything seen or done get
    independent ones.

    Raises:
        ConfigError: the rate is no probability.
    """

    rate: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no rate."""
        check_types(self)
        if not 0.0 <= self.rate <= 1.0:
            raise ConfigError(f"the policy's rate is in [0, 1], got {self.rate!r}")

    @property
    def id(self) -> str:
        """The name, the rate and the seed."""
        return f"random({self.rate:g}, seed={self.seed})"

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        """Whether this turn's number, drawn uniformly from [0, 1), is below the rate."""
        digest = hashlib.blake2b(to_json([self.seed, turn]), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64 < self.rate
