"""`Supervised`: learns to do what was done, or what an expert would have done. One iteration is one epoch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agentgym_critic.agents.text_ranker.heavy import torch
from agentgym_critic.errors import ConfigError
from agentgym_critic.training.learner import Learner, minibatches
from agentgym_critic.training.losses import cross_entropy
from agentgym_critic.training.rows import Row
from agentgym_critic.types import Record

__all__ = ["Supervised", "SupervisedSettings", "imitate"]


class SupervisedSettings(Record, frozen=True):
    """How rows are learnt."""

    batch: int = 64
    learning_rate: float = 2e-3
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if self.batch < 1 or not self.learning_rate > 0:
            raise ConfigError(f"batch is at least 1 and learning_rate above 0, got {self}")


class Supervised:
    """Weighted cross-entropy over rows; masked steps are not among them.

    Args:
        learner: what learns.
        rows: at least one; `rows_of` makes them of stored trajectories.
        settings: how.

    Raises:
        ConfigError: there are no rows.
    """

    def __init__(self, learner: Learner, rows: Sequence[Row], settings: SupervisedSettings) -> None:
        if not rows:
            raise ConfigError("there are no rows to learn from")
        self.learner, self.settings, self._rows = learner, settings, rows

    def begin(self, folder: Path, iteration: int) -> None:
        """Set the pace; nothing is kept but the learner."""
        self.learner.learning_rate = self.settings.learning_rate

    def iterate(self, iteration: int) -> dict[str, float]:
        """One epoch.

        Raises:
            TrainingError: a loss is no number.
        """
        rng = np.random.default_rng((self.settings.seed, iteration))
        return {"loss": imitate(self.learner, self._rows, self.settings.batch, rng), "rows": len(self._rows)}


def imitate(learner: Learner, rows: Sequence[Row], batch: int, rng: np.random.Generator) -> float:
    """One pass over rows; the mean loss of its batches."""

    def use(drawn: list[Row]) -> float:
        targets = [torch.from_numpy(row.target) for row in drawn]
        weights = torch.tensor([row.weight for row in drawn], dtype=torch.float32)
        return learner.descend(cross_entropy(learner.ranker.log_chances([r.encoded for r in drawn]), targets, weights))

    return minibatches(rows, batch, rng, use)
