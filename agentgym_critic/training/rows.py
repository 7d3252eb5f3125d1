"""What a ranker learns from: turns, encoded, with what should be chosen; and how many were dropped, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.text_ranker import Encoded, TextRanker
from agentgym_critic.errors import ConfigError
from agentgym_critic.turns import turns_of
from agentgym_critic.types import Record, Trajectory, Turn

__all__ = ["Choice", "Row", "Tally", "Weigh", "choices_of", "one_version", "row_of", "rows_of"]

Weigh = Callable[[Trajectory], Sequence[float]]
"""A weight for each step of a trajectory; 0 masks it."""


class Row(NamedTuple):
    """A turn and what should be chosen there."""

    encoded: Encoded
    target: NDArray[np.float32]
    """`[actions]`: probabilities that add up to 1."""
    weight: float = 1.0


class Choice(NamedTuple):
    """A turn and what was chosen there."""

    encoded: Encoded
    chosen: int
    """Place of the action among the encoded ones."""
    step: int
    """Number of the step among all steps that were offered."""


class Tally(Record, frozen=True):
    """How many rows were used, and how many were not, by reason."""

    used: int = 0
    dropped: dict[str, int] = {}

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(used=self.used + other.used, dropped=dict(Counter(self.dropped) + Counter(other.dropped)))

    def __str__(self) -> str:
        """In words."""
        return f"{self.used} rows used, dropped: " + (
            ", ".join(f"{count} ({reason})" for reason, count in sorted(self.dropped.items())) or "none"
        )


def row_of(ranker: TextRanker, turn: Turn, good: Sequence[str], weight: float = 1.0) -> Row | str:
    """The row that asks for any of the good actions, or the reason why there is none."""
    if not turn.admissible_actions:
        return "the actions are not listed"
    actions = tuple(dict.fromkeys(turn.admissible_actions))
    target = np.array([action in good for action in actions], dtype=np.float32)
    if not target.any():
        return "the action is not listed"
    return Row(ranker.encode(turn, actions), target / target.sum(), weight)


def rows_of(
    ranker: TextRanker, trajectories: Iterable[Trajectory], weigh: Weigh | None = None
) -> tuple[list[Row], Tally]:
    """Rows that ask for what was done, weighted.

    Args:
        ranker: encodes.
        trajectories: stored episodes of one environment version.
        weigh: the weights of a trajectory's steps; None for 1.

    Raises:
        ConfigError: there are no trajectories, they are of several versions, no row is left, or a weight is negative,
            not finite, or missing.
    """
    rows, dropped = [], Counter[str]()
    for trajectory in one_version(trajectories):
        weights = _weights(weigh, trajectory)
        for turn, step, weight in zip(turns_of(trajectory), trajectory.steps, weights, strict=True):
            row = row_of(ranker, turn, (step.action.text,), weight) if weight else "masked"
            if isinstance(row, Row):
                rows.append(row)
            else:
                dropped[row] += 1
    tally = Tally(used=len(rows), dropped=dict(dropped))
    if not rows:
        raise ConfigError(f"there is nothing to learn from: {tally}")
    return rows, tally


def choices_of(ranker: TextRanker, trajectories: Sequence[Trajectory]) -> tuple[list[Choice], Tally]:
    """What was chosen at every step where that can be scored; `Choice.step` counts all steps."""
    choices, dropped, number = [], Counter[str](), 0
    for trajectory in trajectories:
        for turn, step in zip(turns_of(trajectory), trajectory.steps, strict=True):
            row = row_of(ranker, turn, (step.action.text,))
            if isinstance(row, Row):
                choices.append(Choice(row.encoded, int(row.target.argmax()), number))
            else:
                dropped[row] += 1
            number += 1
    return choices, Tally(used=len(choices), dropped=dict(dropped))


def one_version(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """The trajectories, as long as all are of one environment and one version of it.

    Raises:
        ConfigError: there are none, or two differ.
    """
    first: Trajectory | None = None
    for trajectory in trajectories:
        first = first or trajectory
        for name in ("env_id", "env_version"):
            if (one := getattr(first, name)) != (other := getattr(trajectory, name)):
                raise ConfigError(
                    f"trajectory {trajectory.id} has {name} {other!r}, and {first.id} has {one!r}; what is learnt from "
                    "one need not hold in the other: train on one run, or collect anew"
                )
        yield trajectory
    if first is None:
        raise ConfigError("there are no trajectories to learn from; collect some first: agentgym-critic run")


def _weights(weigh: Weigh | None, trajectory: Trajectory) -> Sequence[float]:
    weights = weigh(trajectory) if weigh else [1.0] * len(trajectory.steps)
    if len(weights) != len(trajectory.steps) or not all(0 <= weight < np.inf for weight in weights):
        raise ConfigError(
            f"{len(trajectory.steps)} steps of {trajectory.id} need as many weights from 0, got {list(weights)}"
        )
    return weights
