"""`StructuredCritic`: observation, possible result, critique, score, suggestion.

The form of GUI-Critic-R1 (arXiv 2506.04614) for text: what is seen and the legal actions stand for the screen.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from agentgym_critic.critics.question import Opinion, QuestionCritic
from agentgym_critic.critics.reply import read_object, read_percent
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel

__all__ = ["ScoreScale", "StructuredCritic"]

ScoreScale = Literal["percent", "binary"]


class StructuredCritic(QuestionCritic):
    """A model that thinks in named parts before it scores, and suggests another action.

    With ``scale="percent"`` the score is a number from 0 to 100 and p is a hundredth of it. With ``"binary"``,
    as published, it is correct or incorrect, and p is `correct_p` or ``1 - correct_p``.

    Args:
        lm: generates.
        scale: what the score is.
        correct_p: what "correct" is worth, with ``"binary"``; above 0.5.
        recall_k: how many productive, and as many unproductive, experiences to show it.
        max_tokens: longest reply.
        temperature: 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        history_steps: show only this many of the latest steps; None for all.
        show_admissible: also list the legal actions, which the suggestion is chosen from.

    Raises:
        ConfigError: a setting is out of range.
    """

    id = "structured"

    def __init__(
        self,
        lm: LanguageModel,
        *,
        scale: ScoreScale = "percent",
        correct_p: float = 0.9,
        recall_k: int = 0,
        max_tokens: int = 400,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        history_steps: int | None = None,
        show_admissible: bool = True,
    ) -> None:
        if scale not in get_args(ScoreScale) or not 0.5 < correct_p <= 1:
            raise ConfigError(
                f"scale is percent or binary, and correct_p above 0.5 and at most 1; got {scale!r} and {correct_p!r}"
            )
        super().__init__(
            lm,
            "structured" if scale == "percent" else "structured_binary",
            recall_k=recall_k,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            retries=retries,
            history_steps=history_steps,
            show_admissible=show_admissible,
        )
        self._scale, self._correct_p = scale, correct_p

    def _meaning(self) -> object:
        return self._scale, self._correct_p

    def _read(self, reply: str) -> Opinion:
        if self._scale == "percent":
            said = read_object(reply, "score", _Percent)
            return Opinion(read_percent("score", said.score), said.text, said.suggestion)
        judged = read_object(reply, "score", _Binary)
        p = self._correct_p if judged.score == "correct" else 1 - self._correct_p
        return Opinion(p, judged.text, judged.suggestion)


class _Parts(msgspec.Struct, frozen=True, kw_only=True):
    observation: str
    possible_result: str
    critique: str
    suggestion: str = ""

    @property
    def text(self) -> str:
        return (
            f"Observation: {self.observation.strip()}\nPossible result: {self.possible_result.strip()}\n"
            f"Critique: {self.critique.strip()}"
        )


class _Percent(_Parts, frozen=True, kw_only=True):
    score: float


class _Binary(_Parts, frozen=True, kw_only=True):
    score: Literal["correct", "incorrect"]
