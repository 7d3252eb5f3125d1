"""`ValuePolicy`: intervene where it is expected to gain more than it breaks.

A calibrated chance of failure does not say when to intervene: an intervention may rescue an episode that would
fail, and may ruin one that would succeed. How often it does either is measured by a pilot
(`agentgym_critic.evaluation.assess_pilot`).
"""

from __future__ import annotations

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Record, Turn, Verdict, check_types

__all__ = ["ValuePolicy"]


class ValuePolicy(Record, frozen=True, tag=True):
    """Intervenes where the expected gain in the chance of success is above a margin.

    It takes the critic's `p` for the chance that the episode succeeds if nothing is done. With one `recovery` and
    one `disruption` for all states this is a threshold on `p`, set by what interventions do rather than by hand.

    Raises:
        ConfigError: a rate is no probability.
    """

    recovery: float
    """r: chance that an episode succeeds with the intervention, given that it fails without."""
    disruption: float
    """d: chance that an episode fails with the intervention, given that it succeeds without."""
    margin: float = 0.0
    """Gain that is needed at least, in chance of success."""

    def __post_init__(self) -> None:
        """Refuse what are no rates."""
        check_types(self)
        for name, least in (("recovery", 0.0), ("disruption", 0.0), ("margin", -1.0)):
            if not least <= getattr(self, name) <= 1.0:
                raise ConfigError(f"the policy's {name} is in [{least:g}, 1], got {getattr(self, name)!r}")

    @property
    def id(self) -> str:
        """The name and the rates."""
        return f"value(r={self.recovery:g}, d={self.disruption:g}, margin={self.margin:g})"

    def gain(self, p: float) -> float:
        """What intervening changes in the chance of success: (1 - p) r - p d (Vasudev et al., arXiv 2602.03338).

        Args:
            p: chance of success if the proposal runs.
        """
        return (1.0 - p) * self.recovery - p * self.disruption

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        """Whether the gain is above the margin."""
        return verdict.p is not None and self.gain(verdict.p) > self.margin
