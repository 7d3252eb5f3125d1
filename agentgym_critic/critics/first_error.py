"""Where an episode went wrong: each step judged good, bad or uncertain, and the first bad one found.

Agent-R (arXiv 2501.11425) cuts a failed episode at that step and continues it with a better one's rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import msgspec

from agentgym_critic.critics.episode import episode_prompt
from agentgym_critic.critics.reply import read_object, require_steps
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.survey import StepSurvey, costs_of
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMError
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Cost, Trajectory, Verdict, clean_text

__all__ = ["AfterError", "FirstErrorCritic", "first_bad_step"]

Quality = Literal["good", "bad", "uncertain"]

AfterError = Literal["undecided", "judged", "unproductive"]
"""What the steps after the first bad one are: left without a label, as each was judged, or all unproductive."""

_P: dict[Quality, float] = {"good": 1.0, "uncertain": 0.5, "bad": 0.0}


class _Judged(msgspec.Struct, frozen=True):
    step: int
    label: Quality
    reason: str = ""


class _Answer(msgspec.Struct, frozen=True):
    steps: list[_Judged]


class FirstErrorCritic:
    """One call an episode; p is 1 for a good step, 0.5 for an uncertain one (no label) and 0 for a bad one.

    What comes after the first bad step was done from a place where the player should not have been. By
    default it is left undecided (p = 0.5), so that neither a bank nor a training set learns from it:
    Agent-R, too, cuts it off. ``after="judged"`` keeps what the model said of each later step, which is
    right for "productive from where the player stood"; ``after="unproductive"`` blames all of it.

    Dimensions: ``quality`` is what the model said of the step (1, 0.5 or 0), ``first_error`` is 1 at the
    first bad step and 0 elsewhere, ``after_error`` is 1 at the steps after it.

    An episode that does not fit the model's context is judged in halves. If any part stays without an
    answer, the first error is unknown and all steps are unscored. The cost is written to the first step.

    Args:
        lm: generates.
        after: what the steps after the first bad one are.
        temperature: of the sampling; 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        tokens_per_step: longest reply, for each step it judges.

    Raises:
        ConfigError: a setting makes no sense.
    """

    id = "first-error"

    def __init__(
        self,
        lm: LanguageModel,
        *,
        after: AfterError = "undecided",
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        tokens_per_step: int = 48,
    ) -> None:
        if after not in get_args(AfterError):
            raise ConfigError(f"after is one of {', '.join(get_args(AfterError))}; got {after!r}")
        self._after = after
        self._survey = StepSurvey(
            lm, tokens_per_step=tokens_per_step, temperature=temperature, seed=seed, retries=retries
        )

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        settings = (*self._survey.settings, self._after)
        return f"{self._survey.lm.id}:{fingerprint(template('first_error'), template('retry'), settings)}"

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        answers, cost = self._survey.ask(trajectory.steps, partial(episode_prompt, "first_error", trajectory), _read)
        judged = [answer for answer in answers if isinstance(answer, _Judged)]
        if len(judged) < len(answers):
            return self._unscored(next(answer for answer in answers if isinstance(answer, LMError)), len(answers), cost)
        bad = next((place for place, answer in enumerate(judged) if answer.label == "bad"), len(judged))
        costs = costs_of(cost, len(judged))
        return [self._verdict(answer, place - bad, costs[place]) for place, answer in enumerate(judged)]

    def _verdict(self, answer: _Judged, beyond: int, cost: Cost) -> Verdict:
        """Of a step that lies so far beyond the first bad one (before it if negative)."""
        quality = _P[answer.label]
        blamed = {"undecided": 0.5, "judged": quality, "unproductive": 0.0}[self._after]
        return Verdict(
            p=blamed if beyond > 0 else quality,
            critic=self.id,
            version=self.version,
            critique=clean_text(answer.reason),
            dimensions={
                "quality": quality,
                "first_error": float(beyond == 0),
                "after_error": float(beyond > 0),
            },
            cost=cost,
        )

    def _unscored(self, error: LMError, count: int, cost: Cost) -> list[Verdict]:
        failure, detail = failure_class(error), failure_detail(error)
        costs = costs_of(cost, count)
        return [Verdict.unscored(self.id, failure, detail, version=self.version, cost=own) for own in costs]


def first_bad_step(verdicts: Sequence[Verdict | None]) -> int | None:
    """The index of the first bad step in the verdicts of a `FirstErrorCritic`; None if there is none, or none is known.

    >>> first_bad_step([Verdict(p=p, critic="first-error", dimensions={"first_error": 1.0 - p}) for p in (1.0, 0.0)])
    1
    """
    marks = (verdict.dimensions.get("first_error", 0.0) if verdict else 0.0 for verdict in verdicts)
    return next((index for index, mark in enumerate(marks) if mark), None)


def _read(reply: str, numbers: Sequence[int]) -> list[_Judged]:
    judged = read_object(reply, "steps", _Answer).steps
    require_steps([each.step for each in judged], numbers)
    return judged
