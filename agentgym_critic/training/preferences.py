"""`PreferenceTraining`: DPO for a ranker, on preferred steps or on preferred whole trajectories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from agentgym_critic.agents.text_ranker import TextRanker
from agentgym_critic.agents.text_ranker.heavy import torch
from agentgym_critic.errors import ConfigError
from agentgym_critic.training.learner import Learner, minibatches
from agentgym_critic.training.losses import dpo_loss
from agentgym_critic.training.rows import Choice, Row, Tally, choices_of, one_version, row_of
from agentgym_critic.turns import turns_of
from agentgym_critic.types import Record, Trajectory, Turn

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Preference", "PreferenceSettings", "PreferenceTraining", "step_preferences", "trajectory_preferences"]


class Preference(NamedTuple):
    """Choices of which those of one side are better, all together, than those of the other."""

    good: Sequence[Choice]
    bad: Sequence[Choice]


class PreferenceSettings(Record, frozen=True):
    """How preferences are learnt."""

    beta: float = 0.1
    batch: int = 16
    learning_rate: float = 2e-4
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if not self.beta > 0 or self.batch < 1 or not self.learning_rate > 0:
            raise ConfigError(f"beta and learning_rate are above 0, and batch at least 1; got {self}")


class _Compared(NamedTuple):
    preference: Preference
    good_before: float
    bad_before: float


class PreferenceTraining:
    """DPO against the policy as it was at the start. One iteration is one epoch.

    Args:
        learner: what learns; its weights now are the reference.
        preferences: at least one.
        settings: how.

    Raises:
        ConfigError: there are no preferences.
    """

    def __init__(self, learner: Learner, preferences: Sequence[Preference], settings: PreferenceSettings) -> None:
        if not preferences:
            raise ConfigError("there are no preferences to learn from")
        self.learner, self.settings = learner, settings
        with torch.no_grad():
            self._compared = [_Compared(each, *(float(self._sums([side])[0]) for side in each)) for each in preferences]

    def begin(self, folder: Path, iteration: int) -> None:
        """Set the pace; nothing is kept but the learner."""
        self.learner.learning_rate = self.settings.learning_rate

    def iterate(self, iteration: int) -> dict[str, float]:
        """One epoch.

        Raises:
            TrainingError: a loss is no number.
        """
        rng = np.random.default_rng((self.settings.seed, iteration))
        loss = minibatches(self._compared, self.settings.batch, rng, self._learn)
        with torch.no_grad():
            preferred = [float(self._margin([each])[0]) > 0 for each in self._compared]
        return {"loss": loss, "preferred": float(np.mean(preferred)), "rows": len(self._compared)}

    def _learn(self, drawn: list[_Compared]) -> float:
        return self.learner.descend(dpo_loss(self._margin(drawn), self.settings.beta))

    def _margin(self, drawn: list[_Compared]) -> Tensor:
        good, bad = (self._sums([each.preference[side] for each in drawn]) for side in (0, 1))
        before = torch.tensor([each[1:] for each in drawn], dtype=torch.float32)
        return (good - before[:, 0]) - (bad - before[:, 1])

    def _sums(self, sides: Sequence[Sequence[Choice]]) -> Tensor:
        """The log-probability of each side's choices together, `[sides]`."""
        every = [choice for side in sides for choice in side]
        chances = self.learner.ranker.log_chances([choice.encoded for choice in every])
        chosen = torch.stack([own[choice.chosen] for own, choice in zip(chances, every, strict=True)])
        return torch.stack([part.sum() for part in torch.split(chosen, [len(side) for side in sides])])


def trajectory_preferences(ranker: TextRanker, trajectories: Iterable[Trajectory]) -> tuple[list[Preference], Tally]:
    """Within each group the shortest of the best episodes against each that had a lower return.

    Raises:
        ConfigError: there are no trajectories, or they are of several versions.
    """
    groups: dict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in one_version(trajectories):
        groups[trajectory.group_id].append(trajectory)
    found, dropped = [], Counter[str]()
    for group in groups.values():
        best = max(group, key=lambda each: (each.episode_return, -len(each.steps)))
        worse = [each for each in group if each.episode_return < best.episode_return]
        sides = [choices_of(ranker, [each])[0] for each in (best, *worse)]
        pairs = [Preference(sides[0], side) for side in sides[1:] if sides[0] and side]
        found += pairs
        dropped["a group without contrast"] += not worse
        dropped["no action is listed"] += len(worse) - len(pairs)
    return found, Tally(used=len(found), dropped=dict(+dropped))


def step_preferences(
    ranker: TextRanker, trajectories: Iterable[Trajectory], *, margin: float = 0.1
) -> tuple[list[Preference], Tally]:
    """Actions of one moment: those the gate held back against what ran, and siblings whose hindsight differs.

    Siblings are steps of one group from the same state; the best judged is preferred to those judged
    worse by at least `margin`.

    Raises:
        ConfigError: there are no trajectories, or they are of several versions.
    """
    moments: dict[tuple[str, str], list[tuple[Turn, str, float]]] = defaultdict(list)
    pairs: list[tuple[Turn, str, str]] = []
    dropped = Counter[str]()
    for trajectory in one_version(trajectories):
        for turn, step in zip(turns_of(trajectory), trajectory.steps, strict=True):
            held = (each.action.text for each in step.interventions if not each.dropped and each.undone is None)
            pairs += [(turn, step.action.text, action) for action in held if action != step.action.text]
            if step.hindsight is None or step.hindsight.p is None:
                dropped["unscored"] += 1
            else:
                key = trajectory.group_id, step.state_key or step.observation
                moments[key].append((turn, step.action.text, step.hindsight.p))
    for siblings in moments.values():
        turn, best, p = max(siblings, key=lambda each: each[2])
        worse = {action for _, action, own in siblings if action != best and own <= p - margin}
        pairs += [(turn, best, action) for action in sorted(worse)]
        dropped["a moment without contrast"] += not worse
    return _as_preferences(ranker, pairs, dropped)


def _as_preferences(
    ranker: TextRanker, pairs: Sequence[tuple[Turn, str, str]], dropped: Counter[str]
) -> tuple[list[Preference], Tally]:
    found = []
    for turn, *actions in pairs:
        rows = [row_of(ranker, turn, (action,)) for action in actions]
        choices = [Choice(row.encoded, int(row.target.argmax()), 0) for row in rows if isinstance(row, Row)]
        if len(choices) == len(rows):
            found.append(Preference(choices[:1], choices[1:]))
        else:
            dropped["an action is not listed"] += 1
    return found, Tally(used=len(found), dropped=dict(+dropped))
