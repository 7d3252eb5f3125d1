"""`HelperPolicy`: intervene where a table says so; `plan_helper` makes the table."""

from __future__ import annotations

import hashlib

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Record, Turn, Verdict, check_types, to_json

__all__ = ["HelperPolicy", "bin_of"]


class HelperPolicy(Record, frozen=True, tag=True):
    """Looks up the step and the critic's `p`.

    Raises:
        ConfigError: the table is empty or its rows differ in length.
    """

    table: tuple[tuple[bool, ...], ...]
    """`[steps, bins]`: whether to intervene. Bins of `p` are of equal width; the last row also serves later steps."""
    price: float = 0.0
    """Chance of success that an intervention had to bring in at least, so that the budget is kept."""
    interventions: float = 0.0
    """How many an episode is expected to have."""
    success: float = 0.0
    """Expected share of successes; an estimate from the data the table was made of, and no result."""

    def __post_init__(self) -> None:
        """Refuse what is no table."""
        check_types(self)
        if not self.table or not self.table[0] or len({len(row) for row in self.table}) > 1:
            lengths = [len(row) for row in self.table]
            raise ConfigError(f"a helper's table has rows of one length, of at least one bin; got rows of {lengths}")

    @property
    def id(self) -> str:
        """The name and a hash of the table."""
        return f"helper({hashlib.blake2b(to_json(self.table), digest_size=4).hexdigest()})"

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        """What the table says."""
        row = self.table[min(turn.index, len(self.table) - 1)]
        return verdict.p is not None and row[bin_of(verdict.p, len(row))]


def bin_of(p: float, bins: int) -> int:
    """The number of the bin, of `bins` of equal width, that `p` falls into."""
    return min(int(p * bins), bins - 1)
