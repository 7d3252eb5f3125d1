"""What a language model is to agents and critics. This module loads no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from agentgym_critic.types import Record

__all__ = ["Completion", "LanguageModel", "Message", "ScoredText", "user"]


class Message(Record, frozen=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


def user(content: str) -> Message:
    """A message from the user."""
    return Message(role="user", content=content)


class Completion(Record, frozen=True):
    """A sampled reply."""

    text: str
    token_ids: tuple[int, ...] = ()
    """The sampled ids, end-of-turn included; empty if the server does not tell."""
    logprobs: tuple[float, ...] = ()
    """Natural-log probability of each id under the sampling distribution at temperature 1; same length."""
    finish: Literal["stop", "length"] = "stop"
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that were not computed again."""
    seconds: float = 0.0
    """Wall time of the call, divided evenly among its replies."""


class ScoredText(Record, frozen=True):
    """A given reply, scored."""

    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    """Natural-log probability of each id given the prompt and the ids before it; same length."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0


class LanguageModel(Protocol):
    """A chat model. Safe to call from several threads."""

    @property
    def id(self) -> str:
        """Which model, and in which number format: recorded in trajectories."""
        ...

    @property
    def context_tokens(self) -> int:
        """Largest prompt plus reply, in tokens."""
        ...

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Length of the prompt these messages become, in tokens (an estimate where only the server knows)."""
        ...

    def generate(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        max_tokens: int = 256,
        temperature: float = 0.0,
        seed: int | None = None,
        stop: Sequence[str] = (),
    ) -> list[Completion]:
        """Sample `n` replies; temperature 0 is greedy. The text ends before the first `stop` string.

        Raises:
            LMContextError: prompt plus `max_tokens` does not fit.
            LMTimeoutError: no answer in time, retries included.
            LMError: anything else that went wrong.
        """
        ...

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """Log-probabilities of each candidate as the assistant's next reply (end-of-turn left out).

        Raises:
            LMContextError: prompt plus the longest candidate does not fit.
            LMError: the model or server cannot score, or failed.
        """
        ...
