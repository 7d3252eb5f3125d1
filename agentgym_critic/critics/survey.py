"""Ask a language model about every step of a finished episode, and turn what it says into verdicts.

What is asked, and what an answer means, is the critics' business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from agentgym_critic.critics.calls import read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.errors import ConfigError, LMContextError, LMError
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.types import Cost, Step

__all__ = ["Prompter", "Reader", "StepSurvey", "Surveyed", "costs_of"]

T = TypeVar("T")

Prompter = Callable[[Sequence[Step]], list[Message]]
"""The chat that asks about these consecutive steps."""

Reader = Callable[[str, Sequence[int]], Sequence[T]]
"""What a reply says of the steps of these numbers (from 1), in order; raises `UnreadableReplyError`."""


class Surveyed(NamedTuple, Generic[T]):
    """What came of a survey."""

    answers: list[T | LMError]
    """One for each step, or why there is none."""
    cost: Cost
    """Of all calls."""


class StepSurvey:
    """One call for all steps; in halves, and these in halves, where an episode does not fit the context.

    A reply that cannot be read is sent back with what was wrong; after that the steps it was about
    have no answer.

    Args:
        lm: generates.
        tokens_per_step: longest reply, for each step it is about.
        temperature: 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        reply_tokens: more tokens of a reply, however many steps it is about.

    Raises:
        ConfigError: a number makes no sense.
    """

    def __init__(
        self,
        lm: LanguageModel,
        *,
        tokens_per_step: int,
        temperature: float,
        seed: int,
        retries: int,
        reply_tokens: int = 32,
    ) -> None:
        if retries < 0 or tokens_per_step < 1:
            raise ConfigError(
                f"retries is at least 0 and tokens_per_step at least 1, got {retries} and {tokens_per_step}"
            )
        if reply_tokens < 0:
            raise ConfigError(f"the tokens of a reply are a number from 0, got {reply_tokens}")
        if not temperature >= 0:
            raise ConfigError(f"temperature is a number from 0, got {temperature!r}")
        self.lm = lm
        self._tokens_per_step, self._temperature, self._seed = tokens_per_step, temperature, seed
        self._retries, self._reply_tokens = retries, reply_tokens
        self.settings = (tokens_per_step, temperature, seed, retries, reply_tokens, ECHO_RULE)

    def ask(self, steps: Sequence[Step], prompt: Prompter, reader: Reader[T]) -> Surveyed[T]:
        """Ask about `steps`, consecutive ones."""
        lm = MeteredLM(self.lm)
        answers: list[T | LMError] = self._asked(lm, steps, prompt, reader) if steps else []
        return Surveyed(answers, lm.cost)

    def _asked(self, lm: MeteredLM, steps: Sequence[Step], prompt: Prompter, reader: Reader[T]) -> list[T | LMError]:
        messages = prompt(steps)
        max_tokens = self._reply_tokens + self._tokens_per_step * len(steps)
        sampling: dict[str, Any] = {"max_tokens": max_tokens, "temperature": self._temperature}
        try:
            reply = lm.generate(messages, seed=self._seed, **sampling)[0].text
        except LMContextError as error:
            return [error] if len(steps) == 1 else self._asked_in_halves(lm, steps, prompt, reader)
        except LMError as error:
            return [error] * len(steps)
        numbers = [step.index + 1 for step in steps]

        read = uncopied(lambda reply: reader(reply, numbers), messages)
        try:
            return list(read_reply(lm, messages, reply, read, retries=self._retries, seed=self._seed + 1, **sampling))
        except LMError as error:
            return [error] * len(steps)

    def _asked_in_halves(
        self, lm: MeteredLM, steps: Sequence[Step], prompt: Prompter, reader: Reader[T]
    ) -> list[T | LMError]:
        middle = len(steps) // 2
        return [*self._asked(lm, steps[:middle], prompt, reader), *self._asked(lm, steps[middle:], prompt, reader)]


def costs_of(cost: Cost, count: int) -> list[Cost]:
    """The cost of a call about `count` steps, all of it on the first, so that the sum over the steps is exact."""
    return [cost, *[Cost()] * (count - 1)]
