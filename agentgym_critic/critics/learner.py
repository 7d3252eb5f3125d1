"""A critic without a model that learns, from hindsight alone, which traits of a step make it productive.

It sees turns and hindsight verdicts: no label of anybody else, no environment.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np

from agentgym_critic.critics.logistic import Floats, fit_logistic, sigmoid
from agentgym_critic.critics.traits import TRAITS_VERSION, traits
from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.turns import turns_of
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

__all__ = ["LearnerCritic"]

MOST_ROWS = 5_000
"""Steps that are learnt from at most, the latest ones."""


class LearnerCritic:
    """Logistic regression on the traits of a step (`agentgym_critic.critics.traits`), refitted after each trajectory.

    Args:
        dim: length of the hashed traits, at least 8.
        strength: how firmly the weights are held to 0, above 0.
        undecided: hindsight verdicts nearer to 0.5 than this teach nothing; in [0, 0.5).

    Raises:
        ConfigError: a setting is out of its range.
    """

    id = "learner"
    recall_k = 0

    def __init__(self, *, dim: int = 128, strength: float = 3.0, undecided: float = 0.0) -> None:
        if dim < 8 or not strength > 0 or not 0 <= undecided < 0.5:
            raise ConfigError(
                "dim is at least 8, strength above 0 and undecided in [0, 0.5); got "
                f"{dim}, {strength!r} and {undecided!r}"
            )
        self._dim, self._strength, self._undecided = dim, strength, undecided
        self._weights = np.zeros(dim + 1)
        self._x = np.empty((0, dim + 1))
        self._y = np.empty(0)

    @property
    def version(self) -> str:
        """A fingerprint of the settings; what is learnt does not change it."""
        return f"1:{fingerprint(TRAITS_VERSION, self._dim, self._strength, self._undecided)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; 0.5 before anything is learnt."""
        rows = np.array([self._row(turn, action.text) for action in actions])
        return [Verdict(p=float(p), critic=self.id, version=self.version) for p in sigmoid(rows @ self._weights)]

    def learned(self, trajectory: Trajectory) -> Self:
        """A copy that has learnt from the hindsight verdicts of a trajectory."""
        known = [(self._row(turn, action), p) for turn, action, p in _judged(trajectory)
                 if abs(p - 0.5) >= self._undecided]  # fmt: skip
        if not known:
            return self
        own = copy.copy(self)
        own._x = np.concatenate([self._x, np.array([row for row, _ in known])])[-MOST_ROWS:]
        own._y = np.concatenate([self._y, np.array([p for _, p in known])])[-MOST_ROWS:]
        own._weights = fit_logistic(own._x, own._y, self._weights * 0, self._strength)
        return own

    def _row(self, turn: Turn, action: str) -> Floats:
        return np.append(traits(turn, action, self._dim), 1.0)


def _judged(trajectory: Trajectory) -> Iterator[tuple[Turn, str, float]]:
    """The turn and the action of each step that hindsight scored, with what it said."""
    for turn, step in zip(turns_of(trajectory), trajectory.steps, strict=True):
        if step.hindsight and step.hindsight.p is not None:
            yield turn, step.action.text, step.hindsight.p
