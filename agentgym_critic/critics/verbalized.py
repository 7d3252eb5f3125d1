"""A language model that says how confident it is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym_critic.critics.calls import read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.reply import Judgement, read_judgement
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.scene import JudgePrompt
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMError
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["VerbalizedCritic", "bank_verbalized"]


class VerbalizedCritic:
    """Asks for a JSON object with a reason and a confidence from 0 to 100; p is the confidence / 100.

    A reply that cannot be read is sent back once with what was wrong; after that the action is
    unscored, with the class of the last failure. Every call is counted in the cost.

    Args:
        lm: generates.
        recall_k: how many productive, and as many unproductive, experiences to show it.
        max_tokens: longest reply.
        temperature: 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        history_steps: show only this many of the latest steps; None for all.
        show_admissible: also list the legal actions.
    """

    id = "verbalized"

    def __init__(
        self,
        lm: LanguageModel,
        recall_k: int = 0,
        *,
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        history_steps: int | None = None,
        show_admissible: bool = False,
    ) -> None:
        if retries < 0:
            raise ConfigError(f"retries is a number from 0, got {retries}")
        self.recall_k = recall_k
        self._lm, self._retries = lm, retries
        self._sampling: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        self._prompt = JudgePrompt(
            question="verbalized", recall_k=recall_k, history_steps=history_steps, show_admissible=show_admissible
        )

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        settings = fingerprint(self._prompt.fingerprint, template("retry"), self._sampling, self._retries, ECHO_RULE)
        return f"{self._lm.id}:{settings}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; one call of the model each, and one more per retry."""
        return [self._judge(turn, action, recalled) for action, recalled in zip(actions, experiences, strict=True)]

    def _judge(self, turn: Turn, action: Action, experiences: Sequence[Experience]) -> Verdict:
        lm = MeteredLM(self._lm)
        try:
            said = self._ask(lm, self._prompt.messages(turn, action, experiences))
        except LMError as error:
            return Verdict.unscored(
                self.id, failure_class(error), failure_detail(error), version=self.version, cost=lm.cost
            )
        return Verdict(
            p=said.p,
            critic=self.id,
            version=self.version,
            critique=said.reason,
            recalled=tuple(experience.id for experience in self._prompt.shown(experiences)),
            cost=lm.cost,
        )

    def _ask(self, lm: MeteredLM, messages: list[Message]) -> Judgement:
        reply = lm.generate(messages, **self._sampling)[0].text
        reader = uncopied(read_judgement, messages)
        return read_reply(lm, messages, reply, reader, retries=self._retries, **self._sampling)


def bank_verbalized(lm: LanguageModel, *, k: int = 2) -> VerbalizedCritic:
    """A `VerbalizedCritic` that is shown `k` productive and `k` unproductive experiences from the bank."""
    return VerbalizedCritic(lm, recall_k=k)
