"""Several critics as one."""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import LearnsFromHindsight, PreCritic, RecallBy
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.critics.scene import split_by_polarity
from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Cost, Experience, Trajectory, Turn, Verdict

__all__ = ["EnsembleCritic"]


class EnsembleCritic:
    """The weighted mean of the p of those members that scored.

    `dimensions` holds each scored member's p by its name (its id; the second of the same id is
    ``id#2``), `failure_detail` names the members that did not score, and the cost is that of all.
    Where none scored the verdict is unscored, with the failure class of the first.

    Args:
        members: critics, at least one.
        weights: one each, not negative and not all zero; None for equal ones.
    """

    id = "ensemble"

    def __init__(self, members: Sequence[PreCritic], weights: Sequence[float] | None = None) -> None:
        self._members = tuple(members)
        self._weights = tuple([1.0] * len(self._members) if weights is None else weights)
        _check(self._members, self._weights)
        self.names = _names(self._members)
        """What each member is called in `Verdict.dimensions`."""
        self.recall_k = max(member.recall_k for member in self._members)
        self.recall_by: RecallBy = _recall_by(self._members)

    @property
    def version(self) -> str:
        """A fingerprint of the members' versions and weights."""
        return fingerprint([(member.id, member.version) for member in self._members], self._weights)

    def attach(self, env: Any) -> None:
        """Show the simulator to the members that must see it, in copies of their own."""
        self._members = tuple(attached(member, env) for member in self._members)

    def taught(self, trajectory: Trajectory) -> Self:
        """A copy whose members have learnt from a trajectory, as far as they learn; itself if none did."""
        members = tuple(
            member.learned(trajectory) if isinstance(member, LearnsFromHindsight) else member
            for member in self._members
        )
        if all(new is old for new, old in zip(members, self._members, strict=True)):
            return self
        own = copy.copy(self)
        own._members = members
        return own

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; a member that fails is left out, whatever it does."""
        opinions = [
            safe_judge(member, turn, actions, [_first(member.recall_k, recalled) for recalled in experiences])
            for member in self._members
        ]
        return [self._merged(verdicts) for verdicts in zip(*opinions, strict=True)]

    def _merged(self, verdicts: Sequence[Verdict]) -> Verdict:
        scores = {name: verdict.p for name, verdict in zip(self.names, verdicts, strict=True) if verdict.p is not None}
        weights = [weight for weight, verdict in zip(self._weights, verdicts, strict=True) if verdict.scored]
        p = _mean(list(scores.values()), weights)
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            failure=next(v.failure for v in verdicts if v.failure) if p is None else None,
            failure_detail=self._failures(verdicts),
            critique="\n".join(
                f"{name}: {v.critique}" for name, v in zip(self.names, verdicts, strict=True) if v.critique
            ),
            suggestion=next((verdict.suggestion for verdict in verdicts if verdict.suggestion), ""),
            dimensions=scores,
            recalled=tuple(dict.fromkeys(id for verdict in verdicts for id in verdict.recalled)),
            cost=sum((verdict.cost for verdict in verdicts), Cost()),
        )

    def _failures(self, verdicts: Sequence[Verdict]) -> str:
        named = zip(self.names, verdicts, strict=True)
        return "; ".join(f"{name}: {v.failure} ({v.failure_detail})" for name, v in named if not v.scored)


def _mean(scores: Sequence[float], weights: Sequence[float]) -> float | None:
    total = math.fsum(weights)
    if not total:  # nobody scored, or only members without weight
        return None
    mean = math.fsum(score * weight for score, weight in zip(scores, weights, strict=True)) / total
    return min(max(mean, min(scores)), max(scores))  # rounding may leave the range of the scores


def _check(members: Sequence[PreCritic], weights: Sequence[float]) -> None:
    if not members:
        raise ConfigError("an ensemble has at least one member, got none")
    if len(weights) != len(members):
        raise ConfigError(f"an ensemble of {len(members)} members needs as many weights, got {len(weights)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
        raise ConfigError(f"the weights of an ensemble are not negative and not all zero, got {list(weights)}")


def _recall_by(members: Sequence[PreCritic]) -> RecallBy:
    ways: set[RecallBy] = {getattr(member, "recall_by", "similarity") for member in members if member.recall_k} or {
        "similarity"
    }
    if len(ways) > 1:
        raise ConfigError("the members of an ensemble share what is recalled: by similarity or by chance, not both")
    return ways.pop() if ways else "similarity"


def _names(members: Sequence[PreCritic]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for member in members:
        seen[member.id] += 1
        names.append(member.id if seen[member.id] == 1 else f"{member.id}#{seen[member.id]}")
    return names


def _first(k: int, experiences: Sequence[Experience]) -> list[Experience]:
    good, bad = split_by_polarity(experiences)
    return [*good[:k], *bad[:k]]
