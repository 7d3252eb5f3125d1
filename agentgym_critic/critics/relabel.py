"""Hindsight relabelling: of an episode that failed its task, one that succeeded at what it did achieve.

HIR (arXiv 2302.05206) and SELU train on such episodes. They are for training only: a success that
was declared afterwards measures nobody, so they are marked, and `require_original` refuses them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from agentgym_critic.critics.achieved_goal import AchievedGoal, Found
from agentgym_critic.critics.achievements import Achievement, GoalFunction, achieved
from agentgym_critic.critics.base import HindsightCritic
from agentgym_critic.critics.functions import name_of
from agentgym_critic.critics.outcome import OutcomeHindsightCritic
from agentgym_critic.critics.safe import failure_class, failure_detail, safe_review
from agentgym_critic.errors import ConfigError, CriticError, boundary
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Cost, FailureClass, Step, Trajectory, Verdict

__all__ = ["Relabelled", "Relabeller", "is_relabelled", "lm_relabeller", "require_original"]

_MARK = "relabelled:"


class Relabelled(NamedTuple):
    """What became of an episode."""

    trajectory: Trajectory | None
    """The new one; None if there is none."""
    why_not: str = ""
    failure: FailureClass | None = None
    """The class of a model's failure."""
    cost: Cost = Cost()
    """Also that of the first hindsight verdict of the new trajectory."""


class Relabeller:
    """Makes of a failed episode a success at the goal that it did achieve.

    The new trajectory ends with the step that reached the goal. Its task is the goal; its rewards are
    1 at the last step and 0 before; its hindsight verdicts are those of `hindsight` on the new
    trajectory. The old verdicts and interventions spoke of the old task and are left out. So are the
    thoughts, raw replies and tokens, unless `keep_replies` is set, and log-probabilities always:
    they belong to another prompt.

    Provenance stays: environment, seed, agent and stream position are the original's, the id is the
    original's with ``~relabelled``, and the task id the original's behind ``relabelled:`` (that is the
    mark; `is_relabelled` reads it). `hindsight_critic` names the relabeller.

    As a hindsight critic it reviews the episode as it was: `hindsight` on the task that was set, and
    the dimension ``achieved``, 1 at the step that reached another goal. A success is left alone.

    Args:
        goal: says what was achieved: a function of the trajectory, or a model (`AchievedGoal`); None
            for the functions of `achievements.ACHIEVEMENTS`, by environment.
        hindsight: judges the steps; None for `OutcomeHindsightCritic`.
        keep_replies: keep what the agent thought and said of the old task.
    """

    id = "relabel"

    def __init__(
        self,
        goal: GoalFunction | AchievedGoal | None = None,
        hindsight: HindsightCritic | None = None,
        *,
        keep_replies: bool = False,
    ) -> None:
        self._goal, self._keep_replies = goal or achieved, keep_replies
        self._hindsight = hindsight or OutcomeHindsightCritic()

    @property
    def version(self) -> str:
        """Where goals come from, and a fingerprint of the settings."""
        source = self._goal.version if isinstance(self._goal, AchievedGoal) else name_of(self._goal)
        judge = (self._hindsight.id, self._hindsight.version)
        return f"1:{source}:{fingerprint(judge, self._keep_replies)}"

    def relabel(self, trajectory: Trajectory) -> Relabelled:
        """The new trajectory, or why there is none.

        Raises:
            ConfigError: it has been relabelled already.
            CriticError: the goal function raised, or named a step that is none.
        """
        require_original([trajectory])
        if trajectory.success or not trajectory.steps:
            return Relabelled(None, "the task was finished" if trajectory.success else "no step was taken")
        achievement, cost, error = self._found(trajectory)
        if error:
            return Relabelled(None, failure_detail(error), failure_class(error), cost)
        if achievement is None:
            return Relabelled(None, "nothing that could have been a task was achieved", cost=cost)
        if _plain(achievement.goal) == _plain(trajectory.task):
            return Relabelled(None, "the goal found is the task itself, which was not finished", cost=cost)
        return Relabelled(self._made(trajectory, achievement, cost), cost=cost)

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step about the task that was set, in order."""
        if not trajectory.steps:
            return []
        found = Found(None) if trajectory.success else self._found(trajectory)
        if found.error:
            return self._unscored(found, len(trajectory.steps))
        place = found.achievement.step if found.achievement else -1
        own = [self._as_own(verdict) for verdict in safe_review(self._hindsight, trajectory)]
        marked = [
            msgspec.structs.replace(verdict, dimensions={**verdict.dimensions, "achieved": float(index == place)})
            for index, verdict in enumerate(own)
        ]
        return _charged(marked, found.cost)

    def _found(self, trajectory: Trajectory) -> Found:
        if isinstance(self._goal, AchievedGoal):
            return self._goal.find(trajectory)
        with boundary(f"goal function {name_of(self._goal)}", CriticError):
            achievement = self._goal(trajectory)
        if achievement is not None and not 0 <= achievement.step < len(trajectory.steps):
            raise CriticError(
                f"the goal function {name_of(self._goal)} named step {achievement.step}; the episode has "
                f"{len(trajectory.steps)}, counted from 0",
                self.id,
            )
        return Found(achievement)

    def _made(self, trajectory: Trajectory, achievement: Achievement, cost: Cost) -> Trajectory:
        last = achievement.step
        task_id = f"{_MARK}{trajectory.task_id}"
        made = msgspec.structs.replace(
            trajectory,
            id=f"{trajectory.id}~relabelled",
            task_id=task_id,
            task=achievement.goal,
            group_id=f"{task_id}#{trajectory.seed}",
            steps=tuple(self._step(step, step.index == last) for step in trajectory.steps[: last + 1]),
            end="success",
            critic="",
            hindsight_critic=f"{self.id}@{self.version}",
            interventions=(),
        )
        verdicts = [self._as_own(verdict) for verdict in safe_review(self._hindsight, made)]
        return made.with_hindsight(_charged(verdicts, cost))

    def _step(self, step: Step, reached: bool) -> Step:
        action = step.action
        return msgspec.structs.replace(
            step,
            action=msgspec.structs.replace(action, logprobs=()) if self._keep_replies else Action(text=action.text),
            reward=float(reached),
            terminated=reached,
            truncated=False,
            success=reached,
            verdict=None,
            hindsight=None,
            interventions=(),
        )

    def _as_own(self, verdict: Verdict) -> Verdict:
        return msgspec.structs.replace(verdict, critic=self.id, version=self.version)

    def _unscored(self, found: Found, count: int) -> list[Verdict]:
        assert found.error is not None
        failure, detail = failure_class(found.error), failure_detail(found.error)
        verdicts = [Verdict.unscored(self.id, failure, detail, version=self.version) for _ in range(count)]
        return _charged(verdicts, found.cost)


def lm_relabeller(
    lm: LanguageModel, *, temperature: float = 0.0, seed: int = 0, retries: int = 1, keep_replies: bool = False
) -> Relabeller:
    """A `Relabeller` that asks a language model what was achieved (`AchievedGoal`)."""
    goal = AchievedGoal(lm, temperature=temperature, seed=seed, retries=retries)
    return Relabeller(goal, keep_replies=keep_replies)


def is_relabelled(trajectory: Trajectory) -> bool:
    """Whether the success of a trajectory was declared afterwards, by a `Relabeller`."""
    return trajectory.task_id.startswith(_MARK)


def require_original(trajectories: Iterable[Trajectory]) -> None:
    """Refuse relabelled trajectories where something is measured.

    Raises:
        ConfigError: names the first of them.
    """
    for trajectory in trajectories:
        if is_relabelled(trajectory):
            raise ConfigError(
                f"trajectory {trajectory.id} is relabelled: its success was declared afterwards and measures nothing; "
                "leave it out here, and use it for training"
            )


def _plain(goal: str) -> str:
    return " ".join(goal.casefold().rstrip(". ").split())


def _charged(verdicts: list[Verdict], cost: Cost) -> list[Verdict]:
    """The verdicts with a cost added to the first."""
    return [msgspec.structs.replace(verdicts[0], cost=verdicts[0].cost + cost), *verdicts[1:]]
