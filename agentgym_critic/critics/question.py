"""`QuestionCritic`: one packaged question about each proposed action, answered by a JSON object.

The base class of the critics that differ in what they ask and in what they make of the answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from agentgym_critic.critics.calls import asked, read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.scene import JudgePrompt
from agentgym_critic.critics.suggestion import admitted
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["Opinion", "QuestionCritic"]


class Opinion(NamedTuple):
    """What a reply says of an action."""

    p: float
    critique: str
    suggestion: str
    """As the model wrote it."""


class QuestionCritic(ABC):
    """Asks a question, reads the reply by schema, and passes on a suggestion only if it can be taken.

    A suggestion that cannot is dropped, and `Verdict.failure_detail` says why. A reply that cannot be read,
    or that copies its JSON object from what was quoted, goes back once; after that the action is unscored.

    Args:
        lm: generates.
        question: name of the packaged prompt that asks.
        recall_k: how many productive, and as many unproductive, experiences to show it.
        max_tokens: longest reply.
        temperature: 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        history_steps: show only this many of the latest steps; None for all.
        show_admissible: also list the legal actions, which suggestions are chosen from.

    Raises:
        ConfigError: a number is out of range.
    """

    id: str

    def __init__(
        self,
        lm: LanguageModel,
        question: str,
        *,
        recall_k: int,
        max_tokens: int,
        temperature: float,
        seed: int,
        retries: int,
        history_steps: int | None,
        show_admissible: bool,
    ) -> None:
        if retries < 0:
            raise ConfigError(f"retries is a number from 0, got {retries}")
        self.recall_k = recall_k
        self._lm, self._retries = lm, retries
        self._sampling: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        self._prompt = JudgePrompt(
            question=question, recall_k=recall_k, history_steps=history_steps, show_admissible=show_admissible
        )

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        parts = (self._prompt.fingerprint, template("retry"), self._sampling, self._retries, ECHO_RULE, self._meaning())
        return f"{self._lm.id}:{fingerprint(*parts)}"

    @abstractmethod
    def _read(self, reply: str) -> Opinion:
        """What a reply says; raises `UnreadableReplyError` where it says nothing usable."""

    @abstractmethod
    def _meaning(self) -> object:
        """The settings that decide which p an answer becomes."""

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; one call of the model each, and one more per retry."""
        pairs = zip(actions, experiences, strict=True)
        return [asked(self, self._lm, 1, partial(self._judge, turn, *pair))[0] for pair in pairs]

    def _judge(self, turn: Turn, action: Action, experiences: Sequence[Experience], lm: MeteredLM) -> list[Verdict]:
        messages = self._prompt.messages(turn, action, experiences)
        reply = lm.generate(messages, **self._sampling)[0].text
        reader = uncopied(self._read, messages)
        said = read_reply(lm, messages, reply, reader, retries=self._retries, **self._sampling)
        suggestion = admitted(said.suggestion, turn, action)
        verdict = Verdict(
            p=said.p,
            critic=self.id,
            version=self.version,
            critique=said.critique,
            suggestion=suggestion.action,
            failure_detail=suggestion.dropped,
            recalled=tuple(experience.id for experience in self._prompt.shown(experiences)),
        )
        return [verdict]
