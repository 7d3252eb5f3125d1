"""Hindsight without a model: what rewards, success and revisited states say of each step.

It knows a state by its key, or, in environments without keys, by what is seen and what is
possible there. It cannot tell a step that was needed from one that merely did no harm.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from itertools import pairwise

from agentgym_critic.critics.signs import nothing_happened
from agentgym_critic.errors import OutOfRangeError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Step, Trajectory, Verdict

__all__ = ["OutcomeHindsightCritic"]


class OutcomeHindsightCritic:
    """Judges each step by the first of these rules that applies; each probability is a setting.

    In a successful episode every state has a distance to success: the fewest steps that lead
    there over the transitions the episode showed. A step is productive if that distance fell;
    on a detour this tells the step that left from the one that came back.

    Without success there is no such distance. A loop (from a state back to the same state) then
    proves only that at most half of its steps came nearer, since over the loop all changes of the
    true distance add up to 0 and none is below -1.

    The settings are priors chosen by hand, not measured ones.

    Args:
        invalid: the action was refused.
        fatal: it ended the episode in failure.
        no_change: it changed nothing.
        nearer: the episode succeeded, and the step brought success nearer.
        not_nearer: the episode succeeded, and the step did not.
        loop: no success, and the step lies on a loop.
        rewarded: no success, but the step's reward was positive.
        otherwise: nothing is known; at 0.5 the step has no label and is not remembered.
    """

    id = "outcome"

    def __init__(
        self,
        *,
        invalid: float = 0.02,
        fatal: float = 0.05,
        no_change: float = 0.05,
        nearer: float = 0.9,
        not_nearer: float = 0.1,
        loop: float = 0.3,
        rewarded: float = 0.8,
        otherwise: float = 0.5,
    ) -> None:
        self._p = {
            "invalid": invalid,
            "fatal": fatal,
            "no_change": no_change,
            "nearer": nearer,
            "not_nearer": not_nearer,
            "loop": loop,
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
        nearer = _nearer(states) if trajectory.success else set()
        looped = set() if trajectory.success else _looped(states)
        rules = [
            _rule(
                trajectory,
                step,
                still=states[index] == states[index + 1],
                nearer=index in nearer,
                looped=index in looped,
            )
            for index, step in enumerate(trajectory.steps)
        ]
        return [Verdict(p=self._p[rule], critic=self.id, version=self.version, critique=_WHY[rule]) for rule in rules]


_WHY = {
    "invalid": "The action was refused.",
    "fatal": "The task failed with this action.",
    "no_change": "The action changed nothing.",
    "nearer": "The step brought the later success nearer.",
    "not_nearer": "The step brought the later success no nearer.",
    "loop": "The episode later came back to a state from before this step.",
    "rewarded": "The step was rewarded.",
    "otherwise": "The outcome does not tell.",
}


def _rule(trajectory: Trajectory, step: Step, *, still: bool, nearer: bool, looped: bool) -> str:
    if step.invalid_action:
        return "invalid"
    if trajectory.end == "failure" and step is trajectory.steps[-1]:
        return "fatal"
    if still or (not step.next_state_key and nothing_happened(step.next_observation)):
        return "no_change"
    if trajectory.success:
        return "nearer" if nearer else "not_nearer"
    if looped:
        return "loop"
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


def _nearer(states: Sequence[Hashable]) -> set[int]:
    """The indices of the steps after which fewer of the transitions seen lead to the last state."""
    before: dict[Hashable, set[Hashable]] = {state: set() for state in states}
    for here, there in pairwise(states):
        before[there].add(here)
    distance = {states[-1]: 0}
    queue = deque(distance)
    while queue:  # breadth first, backwards from success
        there = queue.popleft()
        for here in before[there] - distance.keys():
            distance[here] = distance[there] + 1
            queue.append(here)
    return {index for index, (here, there) in enumerate(pairwise(states)) if distance[there] < distance[here]}


def _looped(states: Sequence[Hashable]) -> set[int]:
    """The indices of the steps that are cut out when every loop is, in the order in which the loops close."""
    path: list[int] = []
    place: dict[Hashable, int] = {}
    cut: set[int] = set()
    for step, state in enumerate(states):
        loop = path[place[state] :] if state in place else []
        for earlier in loop:
            del place[states[earlier]]
        del path[len(path) - len(loop) :]
        cut.update(loop)
        place[state] = len(path)
        path.append(step)
    return cut
