"""What a language model is to agents and critics. This module loads no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from agentgym_critic.types import Record

__all__ = ["LOGPROB_FLOOR", "Completion", "LanguageModel", "Message", "ScoredText", "user"]

LOGPROB_FLOOR = -1e4
"""Stands for the log-probability of a token the model rules out (-inf), which JSON cannot carry."""


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
    completion_tokens: int = -1
    """Tokens sampled for it, as its server counted them; where nothing is given, as many as `token_ids`.

    An even share where the server counted several replies together, and 0 where a greedy reply
    is given once more.
    """
    requests: int = 1
    """Requests behind the call, all its replies together; each of them sent the prompt."""
    seconds: float = 0.0
    """Wall time of the call, divided evenly among its replies."""

    def __post_init__(self) -> None:
        """Count the ids where nobody else did."""
        if self.completion_tokens < 0:
            msgspec.structs.force_setattr(self, "completion_tokens", len(self.token_ids))


class ScoredText(Record, frozen=True):
    """A given reply, scored."""

    text: str
    token_ids: tuple[int, ...]
    """Empty if the server does not tell."""
    logprobs: tuple[float, ...]
    """Natural-log probability of each token given the prompt and the tokens before it."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    requests: int = 1
    """As of a `Completion`."""
    seconds: float = 0.0

    @property
    def completion_tokens(self) -> int:
        """Tokens that were scored."""
        return len(self.logprobs)


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
