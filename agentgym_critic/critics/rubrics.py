"""The kinds of faults that the steps of an episode may show: which there are, and those that a rule finds.

The names are those of Critic Rubrics (arXiv 2603.03800), which annotates coding agents. Of its features
these are left out, since no trajectory here could show them: insufficient_clarification (nobody is there
to be asked), insufficient_testing and file_management_errors (there are no tests and no files),
infrastructure_external_issue (an environment that fails leaves no trajectory), and the eight of the
user's follow-up with their sentiment and timing (there is no user).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.critics.signs import nothing_happened
from agentgym_critic.types import Step, Trajectory

__all__ = ["ASKED", "REPEATS", "RULED", "Rubric", "by_rules", "findings_type"]

REPEATS = 3
"""So many times the same action in the same situation make a loop."""

Places = Iterator[int]


class Rubric(NamedTuple):
    """One kind of fault."""

    name: str
    meaning: str
    """When a step shows it."""
    p: float
    """Of a step that shows it, at most: how likely it is productive all the same. 1 for what is no step's fault."""
    rule: Callable[[Trajectory], Places] | None = None
    """Finds the indices of the steps that show it; None where it takes a reader."""


class Finding(msgspec.Struct, frozen=True):
    """What a reader says of one kind of fault."""

    detected: bool
    steps: list[int]
    """Numbers of the steps, from 1."""
    rationale: str = ""


def _same(trajectory: Trajectory, step: Step) -> tuple[str, str]:
    """The situation a step was taken in, and what was done."""
    return step.state_key or step.observation, step.action.text


def _fruitless(step: Step) -> bool:
    if step.invalid_action or step.action.problem:
        return True
    return step.next_state_key == step.state_key if step.next_state_key else nothing_happened(step.next_observation)


def _loops(trajectory: Trajectory) -> Places:
    """From the third time on that the same was done in the same situation."""
    times: dict[tuple[str, str], int] = {}
    for index, step in enumerate(trajectory.steps):
        done = _same(trajectory, step)
        times[done] = times.get(done, 0) + 1
        if times[done] >= REPEATS:
            yield index


def _refused(trajectory: Trajectory) -> Places:
    return (index for index, step in enumerate(trajectory.steps) if step.invalid_action or step.action.problem)


def _retried(trajectory: Trajectory) -> Places:
    """What had been refused or had done nothing in this situation is done again, unchanged."""
    failed: set[tuple[str, str]] = set()
    for index, step in enumerate(trajectory.steps):
        done = _same(trajectory, step)
        if done in failed:
            yield index
        if _fruitless(step):
            failed.add(done)


def _unfinished(trajectory: Trajectory) -> Places:
    return iter(() if trajectory.success or not trajectory.steps else (len(trajectory.steps) - 1,))


def _outgrown(trajectory: Trajectory) -> Places:
    return iter((len(trajectory.steps) - 1,) if trajectory.end == "context" and trajectory.steps else ())


RULED = (
    Rubric("loop_behavior", f"the same action in the same situation for the {REPEATS}rd time or more", 0.05, _loops),
    Rubric("improper_tool_use_or_setup", "the action was refused, or the reply held none", 0.02, _refused),
    Rubric("insufficient_debugging", "what had just failed here was done again unchanged", 0.05, _retried),
    Rubric("incomplete_implementation", "the episode ended here with the task unfinished", 1.0, _unfinished),
    Rubric("infrastructure_agent_caused_issue", "the player's own prompt outgrew its model here", 1.0, _outgrown),
)
"""Those that a rule finds. The probabilities, here and below, are priors chosen by hand, not measured ones."""

ASKED = (
    Rubric("misunderstood_intention", "the player works towards another goal than the task's", 0.2),
    Rubric("did_not_follow_instruction", "the step breaks a condition or an order that the task states", 0.2),
    Rubric("insufficient_analysis", "the player acts without regard to what it could see or had been told", 0.2),
    Rubric("scope_creep", "the step does more than the task asks, or something beside it", 0.2),
    Rubric("risky_actions_or_permission", "the step may do harm that cannot be undone, or needs a permission", 0.2),
    Rubric("other_agent_issue", "another clear fault of the player, which the other kinds do not name", 0.2),
)
"""Those that take a reader."""


def by_rules(trajectory: Trajectory) -> list[dict[str, float]]:
    """For each step, 1 or 0 for each kind of `RULED`."""
    features = [{rubric.name: 0.0 for rubric in RULED} for _ in trajectory.steps]
    for rubric in RULED:
        for index in rubric.rule(trajectory) if rubric.rule else ():
            features[index][rubric.name] = 1.0
    return features


def findings_type() -> Any:
    """The type of a reader's answer, a `Finding` for each kind of `ASKED`: its JSON schema is generated from it."""
    return msgspec.defstruct("Findings", [(rubric.name, Finding) for rubric in ASKED], frozen=True)
