"""Which known kinds of faults the steps of an episode show, as typed features of their verdicts.

The features are the point (for best-of-n, filters, reward models); p is only a summary of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.critics.episode import episode_prompt
from agentgym_critic.critics.reply import UnreadableReplyError, read_object
from agentgym_critic.critics.rubrics import ASKED, RULED, by_rules, findings_type
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.survey import StepSurvey, costs_of
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import LMError
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Cost, Step, Trajectory, Verdict, clean_text

__all__ = ["RubricCritic", "rubric_rules"]


class RubricCritic:
    """A dimension for each kind of fault in `rubrics.RULED` and `rubrics.ASKED`: 1 at the steps that show it, else 0.

    What a rule can tell, rules tell. The other kinds are asked of a model in one call an episode, with
    a JSON schema that is generated from their list; without a model they are left out.

    p is the smallest of the probabilities of the kinds that the step shows; 0.5 (no label) if it shows
    none: the absence of known faults proves nothing. ``incomplete_implementation`` and
    ``infrastructure_agent_caused_issue`` are facts about the episode: they stand at its last step and
    change no p.

    Where the model's answer is missing the step is unscored, and keeps the dimensions found by rules.
    An episode that does not fit the model's context is asked about in halves. The cost is written to
    the first step.

    Args:
        lm: generates; None for the rules alone.
        temperature: of the sampling; 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        max_tokens: longest reply, but for 32 tokens more for each step.
    """

    id = "rubrics"

    def __init__(
        self,
        lm: LanguageModel | None,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        max_tokens: int = 400,
    ) -> None:
        settings: dict[str, Any] = {"temperature": temperature, "seed": seed, "retries": retries}
        self._survey = StepSurvey(lm, tokens_per_step=32, reply_tokens=max_tokens, **settings) if lm else None

    @property
    def version(self) -> str:
        """The model's id, and a fingerprint of rubrics, prompts and settings."""
        rubrics = [(rubric.name, rubric.meaning, rubric.p) for rubric in (*RULED, *ASKED)]
        if self._survey is None:
            return f"1:rules:{fingerprint(rubrics)}"
        asked = fingerprint(rubrics, template("rubrics"), template("retry"), self._survey.settings)
        return f"1:{self._survey.lm.id}:{asked}"

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        found = [_Seen(features) for features in by_rules(trajectory)]
        if self._survey is None or not found:
            return [self._verdict(seen, Cost()) for seen in found]
        answers, cost = self._survey.ask(trajectory.steps, partial(_prompt, trajectory), _read)
        costs = costs_of(cost, len(answers))
        return [self._joined(*each) for each in zip(found, answers, costs, strict=True)]

    def _joined(self, seen: _Seen, answer: _Seen | LMError, cost: Cost) -> Verdict:
        if isinstance(answer, LMError):
            failure, detail = failure_class(answer), failure_detail(answer)
            verdict = Verdict.unscored(self.id, failure, detail, version=self.version, cost=cost)
            return msgspec.structs.replace(verdict, dimensions=seen.features)
        return self._verdict(_Seen({**seen.features, **answer.features}, answer.why), cost)

    def _verdict(self, seen: _Seen, cost: Cost) -> Verdict:
        shown = [rubric for rubric in (*RULED, *ASKED) if seen.features.get(rubric.name)]
        faults = [rubric for rubric in shown if rubric.p < 1.0]
        return Verdict(
            p=min((rubric.p for rubric in faults), default=0.5),
            critic=self.id,
            version=self.version,
            critique="; ".join([f"{rubric.name}: {seen.why.get(rubric.name) or rubric.meaning}" for rubric in shown]),
            dimensions=seen.features,
            cost=cost,
        )


def rubric_rules() -> RubricCritic:
    """A `RubricCritic` without a model."""
    return RubricCritic(None)


class _Seen(NamedTuple):
    """What shows at one step."""

    features: dict[str, float]
    why: dict[str, str] = {}


def _prompt(trajectory: Trajectory, steps: Sequence[Step]) -> list[Message]:
    faults = "\n".join(f"{rubric.name}: {rubric.meaning}." for rubric in ASKED)
    return episode_prompt("rubrics", trajectory, steps, faults=faults, schema=_schema())


def _schema() -> str:
    return json.dumps(msgspec.json.schema(findings_type()))


def _read(reply: str, numbers: Sequence[int]) -> list[_Seen]:
    names = [rubric.name for rubric in ASKED]
    findings = read_object(reply, names[0], findings_type())
    seen = [_Seen(dict.fromkeys(names, 0.0), {}) for _ in numbers]
    for name in names:
        finding = getattr(findings, name)
        if finding.detected != bool(finding.steps):
            raise UnreadableReplyError(
                "unparsable", f'in "{name}", detected is {finding.detected} and steps {finding.steps}: name the steps.'
            )
        for step in finding.steps:
            if step not in numbers:
                raise UnreadableReplyError(
                    "wrong_count", f'"{name}" names step {step}; the steps are {numbers[0]} to {numbers[-1]}.'
                )
            seen[step - numbers[0]].features[name] = 1.0
            seen[step - numbers[0]].why[name] = clean_text(finding.rationale)
    return seen
