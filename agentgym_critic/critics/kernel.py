"""A critic without a model: a vote of the remembered steps, the most similar ones counting most.

Knows what the bank recalled and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym_critic.critics.scene import split_by_polarity
from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["KernelCritic"]


class KernelCritic:
    """Kernel regression of the hindsight judgements on the similarity (Nadaraya 1964, Watson 1964).

    ``p = (sum(w * p_i) + prior * prior_weight) / (sum(w) + prior_weight)`` over the recalled experiences,
    with ``w = count * exp(-(1 - similarity) / bandwidth)``, times `other_action` where the action was
    another one. As many experiences of each polarity are recalled, however rare one of them is; so
    only those count that are at least as similar as the last of a polarity that fills its places:
    nearer than that, none is missing.

    Args:
        k: how many productive, and as many unproductive, experiences to count.
        bandwidth: the difference in similarity that makes an experience count 1/e.
        other_action: how much an experience with another action counts, from 0 to 1.
        prior: p without any experience.
        prior_weight: how many experiences the prior is worth.

    Raises:
        ConfigError: a setting is out of its range.
    """

    id = "kernel"

    def __init__(
        self,
        k: int = 8,
        *,
        bandwidth: float = 0.1,
        other_action: float = 0.1,
        prior: float = 0.5,
        prior_weight: float = 1.0,
    ) -> None:
        if k < 1 or not bandwidth > 0 or not 0 <= other_action <= 1 or not 0 <= prior <= 1 or not prior_weight > 0:
            raise ConfigError(
                "k is at least 1, bandwidth and prior_weight are above 0, other_action and prior in [0, 1]; got "
                f"{k}, {bandwidth}, {prior_weight}, {other_action} and {prior}"
            )
        self.recall_k = k
        self._bandwidth, self._other_action = bandwidth, other_action
        self._prior, self._prior_weight = prior, prior_weight

    @property
    def version(self) -> str:
        """A fingerprint of the settings."""
        settings = (self.recall_k, self._bandwidth, self._other_action, self._prior, self._prior_weight)
        return f"1:{fingerprint(settings)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; `dimensions["evidence"]` is the sum of the weights."""
        return [self._judge(action, recalled) for action, recalled in zip(actions, experiences, strict=True)]

    def _judge(self, action: Action, recalled: Sequence[Experience]) -> Verdict:
        counted = self._near(recalled)
        weights = [self._weight(action, experience) for experience in counted]
        votes = math.fsum(weight * each.p for weight, each in zip(weights, counted, strict=True))
        evidence = math.fsum(weights)
        p = (votes + self._prior * self._prior_weight) / (evidence + self._prior_weight)
        return Verdict(
            p=min(1.0, p),
            critic=self.id,
            version=self.version,
            critique=_said(action, counted, weights),
            dimensions={"evidence": evidence},
            recalled=tuple(experience.id for experience in counted),
        )

    def _near(self, recalled: Sequence[Experience]) -> list[Experience]:
        """Those as similar as any that may be missing."""
        groups = split_by_polarity(recalled)
        ends = [min(each.similarity for each in group) for group in groups if len(group) >= self.recall_k]
        return [experience for experience in recalled if experience.similarity >= max(ends, default=-1.0)]

    def _weight(self, action: Action, experience: Experience) -> float:
        near = experience.count * math.exp(-(1 - experience.similarity) / self._bandwidth)
        return near if _same(action.text, experience.action) else near * self._other_action


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _said(action: Action, counted: Sequence[Experience], weights: Sequence[float]) -> str:
    """What the vote rests on, for the agent that reads the critique."""
    if not counted:
        return f"Nothing like {action.text!r} is remembered here."
    best = counted[max(range(len(counted)), key=weights.__getitem__)]
    return f"The most similar step remembered, {best.action!r}, was {best.polarity} (judged {best.p:.2f})."
