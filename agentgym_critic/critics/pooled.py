"""Several hindsight critics as one: their evidence added up. Knows nothing of its own."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import HindsightCritic
from agentgym_critic.critics.logistic import logit, sigmoid
from agentgym_critic.critics.safe import safe_review
from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Cost, Trajectory, Verdict

__all__ = ["PooledHindsightCritic"]


class PooledHindsightCritic:
    """The logarithmic opinion pool (Genest and Zidek 1986) of hindsight critics, each with its full weight.

    ``p = sigmoid(sum(logit p of the member))``, the logits cut at p = 0.02 and 0.98: right where the members
    err independently. Who is undecided or did not score adds nothing; where nobody scored, neither does the pool.

    Args:
        members: hindsight critics, at least one.

    Raises:
        ConfigError: there are none.
    """

    id = "pooled"

    def __init__(self, members: Sequence[HindsightCritic]) -> None:
        if not members:
            raise ConfigError("a pool has at least one hindsight critic, got none")
        self._members = tuple(members)

    @property
    def version(self) -> str:
        """A fingerprint of the members."""
        return f"1:{fingerprint([(member.id, member.version) for member in self._members])}"

    def attach(self, env: Any) -> None:
        """Show the simulator to the members that must see it, in copies of their own."""
        self._members = tuple(attached(copy.copy(member), env) for member in self._members)

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order; `votes` are the members'."""
        opinions = [safe_review(member, trajectory) for member in self._members]
        return [self._pooled(verdicts) for verdicts in zip(*opinions, strict=True)]

    def _pooled(self, verdicts: Sequence[Verdict]) -> Verdict:
        cost = sum((verdict.cost for verdict in verdicts), Cost())
        known = [verdict.p for verdict in verdicts if verdict.p is not None]
        if not known:
            failed = verdicts[0]
            return Verdict.unscored(
                self.id, failed.failure or "error", failed.failure_detail, version=self.version, cost=cost
            )
        return Verdict(
            p=float(sigmoid(logit(np.array(known)).sum())),
            critic=self.id,
            version=self.version,
            critique="\n".join(verdict.critique for verdict in verdicts if verdict.critique),
            votes=tuple(verdict.p for verdict in verdicts),
            cost=cost,
        )
