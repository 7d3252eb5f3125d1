"""Several critics as one that learns how far to trust each, from hindsight alone.

It sees what its members said of earlier steps and what the hindsight critic said of them later: no
label of anybody else, no environment.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec
import numpy as np

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.ensemble import EnsembleCritic
from agentgym_critic.critics.logistic import fit_logistic, logit, sigmoid
from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

__all__ = ["StackedCritic"]

MOST_ROWS = 20_000
"""Steps that are learnt from at most, the latest ones."""


class StackedCritic:
    """Stacked generalisation (Wolpert 1992): logistic regression on the logits of the members, online.

    ``p = sigmoid(bias + sum(weight * logit(p of the member)))``; a member that did not score counts nothing.
    Before anything is learnt the bias is 0 and the weights are equal and add up to 1. Each finished
    trajectory refits them to all steps so far that hindsight has judged, held to that beginning. With one
    member it recalibrates that one (Platt 1999). Members that learn from hindsight are taught, too.

    Args:
        members: critics, at least one.
        strength: how many steps the equal weights are worth, about.

    Raises:
        ConfigError: there are no members, or the strength is not above 0.
    """

    id = "stacked"

    def __init__(self, members: Sequence[PreCritic], *, strength: float = 4.0) -> None:
        if not strength > 0:
            raise ConfigError(f"strength is above 0, got {strength!r}")
        self._ensemble = EnsembleCritic(members)
        self._strength = strength
        self._start = np.array([0.0, *[1 / len(members)] * len(members)])
        self._weights = self._start
        self._x = np.empty((0, len(self._start)))
        self._y = np.empty(0)
        self.recall_k = self._ensemble.recall_k
        self.recall_by = self._ensemble.recall_by

    @property
    def version(self) -> str:
        """A fingerprint of the members' versions and the strength; what is learnt does not change it."""
        return fingerprint(self._ensemble.version, self._strength)

    @property
    def weights(self) -> dict[str, float]:
        """The bias, and the weight of each member by its name."""
        return dict(zip(("bias", *self._ensemble.names), map(float, self._weights), strict=True))

    def attach(self, env: Any) -> None:
        """Show the simulator to the members that must see it."""
        self._ensemble = attached(self._ensemble, env)

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; `dimensions` holds the p of each member that scored."""
        return [self._weighed(verdict) for verdict in self._ensemble.judge(turn, actions, experiences)]

    def learned(self, trajectory: Trajectory) -> Self:
        """A copy that has learnt from a trajectory; verdicts in it that are not this critic's teach nothing."""
        said = (self.id, self.version)
        pairs = [(step.verdict, step.hindsight) for step in trajectory.steps
                 if step.verdict and (step.verdict.critic, step.verdict.version) == said]  # fmt: skip
        known = [(self._row(before.dimensions), after.p) for before, after in pairs
                 if before.dimensions and after and after.p is not None]  # fmt: skip
        ensemble = self._ensemble.taught(trajectory)
        if not known and ensemble is self._ensemble:
            return self
        own = copy.copy(self)
        own._ensemble = ensemble
        if not known:
            return own
        own._x = np.concatenate([self._x, np.array([row for row, _ in known])])[-MOST_ROWS:]
        own._y = np.concatenate([self._y, np.array([p for _, p in known])])[-MOST_ROWS:]
        own._weights = fit_logistic(own._x, own._y, self._start, self._strength)
        return own

    def _weighed(self, verdict: Verdict) -> Verdict:
        if verdict.p is None:
            return msgspec.structs.replace(verdict, critic=self.id, version=self.version)
        p = float(sigmoid(np.array(self._row(verdict.dimensions)) @ self._weights))
        return msgspec.structs.replace(verdict, critic=self.id, version=self.version, p=p)

    def _row(self, said: Mapping[str, float]) -> list[float]:
        """1, then the logit of each member, 0 where it did not score."""
        return [1.0, *(float(logit(np.array(said.get(name, 0.5)))) for name in self._ensemble.names)]
