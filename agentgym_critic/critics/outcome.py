"""Hindsight without a model: what rewards, success and revisited states say of each step.

It knows a state by its key, or, in environments without keys, by what is seen and what is
possible there. It cannot tell a step that was needed from one that merely did no harm.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from agentgym_critic.critics.quoting import fingerprint
from agentgym_critic.critics.signs import nothing_happened
from agentgym_critic.errors import OutOfRangeError
from agentgym_critic.types import Step, Trajectory, Verdict

__all__ = ["OutcomeHindsightCritic"]


class OutcomeHindsightCritic:
    """Judges each step by the first of these rules that applies; each probability is a setting.

    The path of an episode is what is left of it when every loop (from a state back to the same
    state) is cut out, in the order in which the loops close. The settings are priors chosen by
    hand, not measured ones.

    Args:
        invalid: the action was refused.
        fatal: it ended the episode in failure.
        no_change: it changed nothing.
        loop: it lies on a loop, so its effect was undone.
        path_to_success: it lies on the path of a successful episode.
        rewarded: the episode did not succeed, but the step's reward was positive.
        otherwise: nothing is known; at 0.5 the step has no label and is not remembered.
    """

    id = "outcome"

    def __init__(
        self,
        *,
        invalid: float = 0.02,
        fatal: float = 0.05,
        no_change: float = 0.1,
        loop: float = 0.15,
        path_to_success: float = 0.9,
        rewarded: float = 0.8,
        otherwise: float = 0.5,
    ) -> None:
        self._p = {
            "invalid": invalid,
            "fatal": fatal,
            "no_change": no_change,
            "loop": loop,
            "path_to_success": path_to_success,
            "rewarded": rewarded,
            "otherwise": otherwise,
        }
        for name, p in self._p.items():
            if not 0.0 <= p <= 1.0:
                raise OutOfRangeError(f"{name} is a probability in [0, 1], got {p!r}")
        self.version = f"1:{fingerprint(self._p)}"

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        states = _states(trajectory)
        path = _path(states)
        rules = [
            _rule(trajectory, step, still=states[index] == states[index + 1], kept=index in path)
            for index, step in enumerate(trajectory.steps)
        ]
        return [Verdict(p=self._p[rule], critic=self.id, version=self.version, critique=_WHY[rule]) for rule in rules]


_WHY = {
    "invalid": "The action was refused.",
    "fatal": "The task failed with this action.",
    "no_change": "The action changed nothing.",
    "loop": "The episode later came back to a state from before this step.",
    "path_to_success": "The step lies on the direct path to success.",
    "rewarded": "The step was rewarded.",
    "otherwise": "The outcome does not tell.",
}


def _rule(trajectory: Trajectory, step: Step, *, still: bool, kept: bool) -> str:
    if step.invalid_action:
        return "invalid"
    if trajectory.end == "failure" and step is trajectory.steps[-1]:
        return "fatal"
    if still or (not step.next_state_key and nothing_happened(step.next_observation)):
        return "no_change"
    if not kept:
        return "loop"
    if trajectory.success:
        return "path_to_success"
    return "rewarded" if step.reward > 0 else "otherwise"


def _states(trajectory: Trajectory) -> list[Hashable]:
    """The states the episode went through, one more than steps."""
    steps = trajectory.steps
    if not steps:
        return []
    if all(step.state_key and step.next_state_key for step in steps):
        # A finished task is a state of its own, even in an environment whose keys do not tell.
        return [*(step.state_key for step in steps), None if trajectory.success else steps[-1].next_state_key]
    # What was possible after the last step is not recorded: that state equals no other.
    return [*((step.observation, step.admissible_actions) for step in steps), None]


def _path(states: Sequence[Hashable]) -> set[int]:
    """The indices of the steps that are left when all loops are cut out."""
    path: list[int] = []
    place: dict[Hashable, int] = {}
    for step, state in enumerate(states):
        if state in place:
            start = place[state]
            for cut in path[start:]:
                del place[states[cut]]
            del path[start:]
        place[state] = len(path)
        path.append(step)
    return set(path[:-1])
