"""A language model that reviews whole episodes, several times, and votes on every step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from agentgym_critic.critics.calls import read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.reply import StepLabel, read_labels
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.scene import review_prompt
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMContextError, LMError
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Cost, Step, Trajectory, Verdict

__all__ = ["LMHindsightCritic"]


class LMHindsightCritic:
    """Labels every step by majority; p is the share of votes for "productive".

    One prompt shows all steps with their outcomes and how the episode ended, and is sampled
    `votes` times; each vote labels every step. A vote that cannot be read is sent back once; if
    that fails too it counts for no step (None among a step's `votes`). A tie is p = 0.5, which
    has no label. Where no vote is left the steps are unscored.

    An episode that does not fit the model's context is reviewed in halves, and these in halves,
    down to the single step; what does not fit even then is unscored (`context`). The cost of a
    prompt is written to the first step it reviews, so that the sum over the steps is exact.

    Args:
        lm: generates; it sees nothing privileged.
        votes: how many, at least 1.
        temperature: of the sampling; several votes need one above 0, or they are all the same.
        seed: of the sampling.
        retries: how often an unreadable vote is sent back.
        tokens_per_step: longest reply, for each step it labels.
    """

    id = "lm-hindsight"

    def __init__(
        self,
        lm: LanguageModel,
        votes: int = 3,
        temperature: float = 0.7,
        *,
        seed: int = 0,
        retries: int = 1,
        tokens_per_step: int = 48,
    ) -> None:
        if votes < 1:
            raise ConfigError(f"votes is a number from 1, got {votes}")
        if votes > 1 and temperature <= 0:
            raise ConfigError(
                f"{votes} votes at temperature {temperature:g} would all be the same; raise it or ask for 1"
            )
        if retries < 0 or tokens_per_step < 1:
            raise ConfigError(
                f"retries is at least 0 and tokens_per_step at least 1, got {retries} and {tokens_per_step}"
            )
        self._lm = lm
        self._votes, self._temperature, self._seed = votes, temperature, seed
        self._retries, self._tokens_per_step = retries, tokens_per_step

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        settings = (self._votes, self._temperature, self._seed, self._retries, self._tokens_per_step, ECHO_RULE)
        return f"{self._lm.id}:{fingerprint(template('review'), template('retry'), settings)}"

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        return self._review(trajectory, trajectory.steps) if trajectory.steps else []

    def _review(self, trajectory: Trajectory, steps: Sequence[Step]) -> list[Verdict]:
        lm = MeteredLM(self._lm)
        messages = review_prompt(trajectory, steps)
        sampling = {"max_tokens": 32 + self._tokens_per_step * len(steps), "temperature": self._temperature}
        try:
            replies = lm.generate(messages, n=self._votes, seed=self._seed, **sampling)
        except LMContextError as error:
            if len(steps) > 1:
                return self._review_halves(trajectory, steps, lm.cost)
            return self._unscored(steps, error, lm.cost)
        except LMError as error:
            return self._unscored(steps, error, lm.cost)
        ballots = [
            self._ballot(lm, messages, reply.text, steps, seed=self._seed + self._votes + vote, **sampling)
            for vote, reply in enumerate(replies)
        ]
        return self._counted(steps, ballots, lm.cost)

    def _review_halves(self, trajectory: Trajectory, steps: Sequence[Step], cost: Cost) -> list[Verdict]:
        middle = len(steps) // 2
        first, *rest = [*self._review(trajectory, steps[:middle]), *self._review(trajectory, steps[middle:])]
        return [msgspec.structs.replace(first, cost=cost + first.cost), *rest]

    def _ballot(
        self, lm: MeteredLM, messages: list[Message], reply: str, steps: Sequence[Step], **sampling: Any
    ) -> list[StepLabel] | LMError:
        """The labels of one vote, or why there are none."""
        reader = uncopied(partial(read_labels, numbers=[step.index + 1 for step in steps]), messages)
        try:
            return read_reply(lm, messages, reply, reader, retries=self._retries, **sampling)
        except LMError as error:
            return error

    def _counted(
        self, steps: Sequence[Step], ballots: Sequence[list[StepLabel] | LMError], cost: Cost
    ) -> list[Verdict]:
        read = [ballot for ballot in ballots if not isinstance(ballot, LMError)]
        if not read:
            return self._unscored(steps, next(ballot for ballot in ballots if isinstance(ballot, LMError)), cost)
        columns = [
            [None if isinstance(ballot, LMError) else ballot[place] for ballot in ballots]
            for place in range(len(steps))
        ]
        return [self._elected(column, cost if place == 0 else Cost()) for place, column in enumerate(columns)]

    def _elected(self, labels: Sequence[StepLabel | None], cost: Cost) -> Verdict:
        votes = tuple(None if label is None else float(label.label == "productive") for label in labels)
        counted = [vote for vote in votes if vote is not None]
        p = sum(counted) / len(counted)
        majority = "productive" if p > 0.5 else "unproductive"
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            critique=next((label.reason for label in labels if label and label.label == majority), ""),
            votes=votes,
            cost=cost,
        )

    def _unscored(self, steps: Sequence[Step], error: LMError, cost: Cost) -> list[Verdict]:
        failure, detail = failure_class(error), failure_detail(error)
        costs = [cost, *[Cost()] * (len(steps) - 1)]
        return [Verdict.unscored(self.id, failure, detail, version=self.version, cost=cost) for cost in costs]
