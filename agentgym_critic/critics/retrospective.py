"""A language model that reviews an episode knowing the solution: hindsight with privileged information.

CriticSearch (arXiv 2511.12159) judges every turn so, in one call an episode. What it says is for credit
and training. A bank that it fills holds labels that no deployed critic could have given: a run that
recalls from it is not label-free, and is to be reported as such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from agentgym_critic.critics.episode import episode_prompt
from agentgym_critic.critics.functions import name_of
from agentgym_critic.critics.reply import StepLabel, read_labels
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.solution import SolverSolution
from agentgym_critic.critics.survey import StepSurvey, costs_of
from agentgym_critic.critics.templates import template
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.prompts import fingerprint, quote
from agentgym_critic.types import Cost, Step, Trajectory, Verdict, clean_text

__all__ = ["RetrospectiveCritic"]


class RetrospectiveCritic:
    """Labels every step in one call that shows the whole episode and the solution; p is 1 or 0.

    What it was told stays with it. Its reasons may repeat the solution, and verdicts travel (to
    stores, exports, training sets), so that they keep neither a reason nor the text of a failure
    unless `keep_reasons` is set; then they are not to be shown to any player. The dimension
    ``privileged`` is 1 in all its verdicts, so that they can be told from others.

    An episode that does not fit the model's context is reviewed in halves. The cost is written to
    the first step.

    Args:
        lm: generates.
        privileged: gives the solution of a trajectory's task: a gold answer, a reference solution;
            None for the way that the environment's own solver finds (`SolverSolution`). The version
            tells a function by its name alone.
        keep_reasons: write the model's reasons into the verdicts.
        temperature: of the sampling; 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        tokens_per_step: longest reply, for each step it labels.
    """

    id = "retrospective"

    def __init__(
        self,
        lm: LanguageModel,
        privileged: Callable[[Trajectory], str] | None = None,
        *,
        keep_reasons: bool = False,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        tokens_per_step: int = 48,
    ) -> None:
        self._privileged = privileged or SolverSolution()
        self._keep_reasons = keep_reasons
        self._survey = StepSurvey(
            lm, tokens_per_step=tokens_per_step, temperature=temperature, seed=seed, retries=retries
        )

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts, settings and where the solution comes from."""
        source = name_of(self._privileged)
        settings = (*self._survey.settings, self._keep_reasons, source)
        return f"{self._survey.lm.id}:{fingerprint(template('retrospective'), template('retry'), settings)}"

    def attach(self, env: Any) -> None:
        """See the simulator, if the solution comes from there."""
        if isinstance(self._privileged, SolverSolution):
            self._privileged = self._privileged.attached_to(env)

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        if not trajectory.steps:
            return []
        try:
            solution = self._privileged(trajectory)
        except Exception as error:  # it is a user's function: whatever it raises, the steps are unscored
            harmless = isinstance(self._privileged, SolverSolution)
            return [self._unscored(error, Cost(), harmless=harmless) for _ in trajectory.steps]
        told = quote(solution)
        prompt = partial(_prompt, trajectory, told)
        answers, cost = self._survey.ask(trajectory.steps, prompt, read_labels)
        costs = costs_of(cost, len(answers))
        return [self._verdict(answer, own) for answer, own in zip(answers, costs, strict=True)]

    def _verdict(self, answer: StepLabel | Exception, cost: Cost) -> Verdict:
        if isinstance(answer, Exception):
            return self._unscored(answer, cost)
        return Verdict(
            p=float(answer.label == "productive"),
            critic=self.id,
            version=self.version,
            critique=clean_text(answer.reason) if self._keep_reasons else "",
            dimensions=_MARK,
            cost=cost,
        )

    def _unscored(self, error: Exception, cost: Cost, *, harmless: bool = False) -> Verdict:
        """The text of an error may quote the reply, and the reply the solution; a solver's tells nothing of it."""
        detail = failure_detail(error) if harmless or self._keep_reasons else type(error).__name__
        verdict = Verdict.unscored(self.id, failure_class(error), detail, version=self.version, cost=cost)
        return msgspec.structs.replace(verdict, dimensions=_MARK)


_MARK = {"privileged": 1.0}


def _prompt(trajectory: Trajectory, told: str, steps: Sequence[Step]) -> list[Message]:
    return episode_prompt("retrospective", trajectory, steps, privileged=told)
