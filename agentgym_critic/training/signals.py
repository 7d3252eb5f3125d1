"""Credit by name: which judgements a signal needs, and how it is computed from trajectories that have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from agentgym_critic.credit import Credit, combine, gigpo, group_of, grpo, make_rollouts, turn_critic
from agentgym_critic.credit.rollouts import Floats, Rollouts
from agentgym_critic.errors import UnknownIdError
from agentgym_critic.types import Step, Trajectory

__all__ = ["SIGNALS", "Signal", "find_signal"]

Part = Callable[[Rollouts, Sequence[Step]], Floats]


class Signal(NamedTuple):
    """One way to give each step its advantage."""

    parts: Mapping[str, Part]
    """Components by name; the advantage is their sum."""
    hindsight: bool = False
    """Whether steps need a hindsight critic's verdict."""
    before: bool = False
    """Whether steps need a pre-operative critic's verdict, for example Monte-Carlo's."""

    def credit(self, trajectories: Sequence[Trajectory]) -> Credit:
        """The advantages of all steps of the trajectories, in order; `[steps]`.

        Raises:
            ConfigError: there are no trajectories.
        """
        steps = [step for trajectory in trajectories for step in trajectory.steps]
        # An environment may name a task after what chance made of it; a group is one task and seed.
        groups = group_of([trajectory.group_id for trajectory in trajectories])
        rollouts = make_rollouts([[step.reward for step in each.steps] for each in trajectories], groups)
        return combine({name: part(rollouts, steps) for name, part in self.parts.items()})


def _outcome(rollouts: Rollouts, steps: Sequence[Step]) -> Floats:
    return grpo(rollouts)


def _states(rollouts: Rollouts, steps: Sequence[Step]) -> Floats:
    """What GiGPO adds: steps from the same state compared; by observation where there are no state keys."""
    anchor = group_of([step.state_key or step.observation for step in steps])
    return gigpo(rollouts, anchor) - grpo(rollouts)


def _hindsight(rollouts: Rollouts, steps: Sequence[Step]) -> Floats:
    judged = [step.hindsight.p if step.hindsight else None for step in steps]
    return turn_critic(rollouts, _floats(judged), alpha=1.0) - grpo(rollouts)


def _monte_carlo(rollouts: Rollouts, steps: Sequence[Step]) -> Floats:
    """The value of the action less that of the policy by itself: an advantage, normalised as all others are."""
    said = [step.verdict.dimensions if step.verdict and step.verdict.scored else {} for step in steps]
    gains = [each["value"] - each["baseline"] if "baseline" in each else None for each in said]
    return turn_critic(rollouts, _floats(gains), alpha=1.0) - grpo(rollouts)


def _floats(numbers: Sequence[float | None]) -> Floats:
    return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)


SIGNALS: dict[str, Signal] = {
    "outcome": Signal({"outcome": _outcome}),
    "gigpo": Signal({"outcome": _outcome, "states": _states}),
    "hindsight": Signal({"outcome": _outcome, "hindsight": _hindsight}, hindsight=True),
    "monte-carlo": Signal({"outcome": _outcome, "monte-carlo": _monte_carlo}, before=True),
    "sum": Signal(
        {"outcome": _outcome, "states": _states, "hindsight": _hindsight, "monte-carlo": _monte_carlo},
        hindsight=True,
        before=True,
    ),
}
"""The signals that have a name."""


def find_signal(name: str) -> Signal:
    """The signal of a name.

    Raises:
        UnknownIdError: there is none; the message names the nearest.
    """
    if name not in SIGNALS:
        raise UnknownIdError("credit", name, SIGNALS)
    return SIGNALS[name]
