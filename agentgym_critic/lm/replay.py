"""A scripted language model for tests: deterministic, instant, and strict about its script.

It keeps the form of a real model: token ids with as many log-probabilities, a context
window, stop strings, token limits. Its tokens are words, not a real vocabulary's.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from agentgym_critic.errors import ConfigError, LMContextError, LMError
from agentgym_critic.lm.base import Completion, Message, ScoredText
from agentgym_critic.lm.request import check_sampling, cut_at_stop
from agentgym_critic.types import Record

__all__ = ["ReplayCall", "ReplayLM"]

_LOGPROB = -0.5
"""Of each token of a scripted reply."""

Reply = str | Exception


class ReplayCall(Record, frozen=True):
    """One call a `ReplayLM` got."""

    kind: Literal["generate", "score"]
    messages: tuple[Message, ...]
    candidates: tuple[str, ...] = ()
    n: int = 1
    max_tokens: int = 0
    temperature: float = 0.0
    seed: int | None = None
    stop: tuple[str, ...] = ()

    @property
    def prompt(self) -> str:
        """The texts of all messages, joined by empty lines."""
        return "\n\n".join(message.content for message in self.messages)


class ReplayLM:
    """A language model that says what it was told to say.

    Args:
        replies: the replies in order, one for each sample asked for, or a function from the
            messages to a reply. An exception in place of a reply is raised.
        scores: for each candidate its total log-probability, or a function from messages and
            candidate to it; spread evenly over the candidate's tokens.
        id: what to be recorded as.
        context_tokens: size of the context window, in words.

    Attributes:
        calls: the calls it got, in order, refused ones included.

    >>> from agentgym_critic.lm import ReplayLM, user
    >>> lm = ReplayLM(["go north", "look"], scores={"north": -0.1, "south": -3.0})
    >>> lm.generate([user("Which way?")])[0].text
    'go north'
    >>> [sum(scored.logprobs) for scored in lm.score([user("Which way?")], ["north", "south"])]
    [-0.1, -3.0]
    >>> lm.calls[0].prompt
    'Which way?'
    >>> lm.generate([user("And now?")], n=2)
    Traceback (most recent call last):
    agentgym_critic.errors.LMError: ReplayLM has 2 replies and was asked for number 3; give it more, or a function
    """

    def __init__(
        self,
        replies: Sequence[Reply] | Callable[[Sequence[Message]], Reply] = (),
        scores: Mapping[str, float] | Callable[[Sequence[Message], str], float] | None = None,
        *,
        id: str = "replay",
        context_tokens: int = 8192,
    ) -> None:
        if isinstance(replies, str):
            raise ConfigError(f"replies is a list of replies or a function, got the text {replies!r}")
        self.calls: list[ReplayCall] = []
        self._replies = replies
        self._scores = scores
        self._id = id
        self._context_tokens = context_tokens
        self._said = 0
        self._lock = threading.RLock()

    @property
    def id(self) -> str:
        """What it is recorded as."""
        return self._id

    @property
    def context_tokens(self) -> int:
        """Largest prompt plus reply, in words."""
        return self._context_tokens

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Words of all messages."""
        return sum(len(_tokens(message.content)) for message in messages)

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
        """The next `n` replies of the script.

        Raises:
            LMContextError: prompt plus `max_tokens` does not fit.
            LMError: the script has run out.
        """
        check_sampling(n, max_tokens, temperature, stop)
        call = ReplayCall(
            kind="generate",
            messages=tuple(messages),
            n=n,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            stop=tuple(stop),
        )
        with self._lock:
            self.calls.append(call)
            self._check_fits(messages, max_tokens)
            replies = [self._next_reply(messages) for _ in range(n)]
        return [self._completion(reply, call) for reply in replies]

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """The scripted score of each candidate.

        Raises:
            LMContextError: prompt plus the longest candidate does not fit.
            LMError: the script has no score for a candidate.
            ConfigError: there is no candidate, or an empty one.
        """
        if not candidates or not all(map(_tokens, candidates)):
            raise ConfigError(f"score needs at least one candidate and no empty one, got {list(candidates)}")
        with self._lock:
            self.calls.append(ReplayCall(kind="score", messages=tuple(messages), candidates=tuple(candidates)))
            self._check_fits(messages, max(len(_tokens(candidate)) for candidate in candidates))
            return [self._scored(messages, candidate) for candidate in candidates]

    def _next_reply(self, messages: Sequence[Message]) -> str:
        if callable(self._replies):
            reply = self._replies(messages)
        elif self._said < len(self._replies):
            reply = self._replies[self._said]
        else:
            raise LMError(
                f"ReplayLM has {len(self._replies)} replies and was asked for number {self._said + 1}; "
                "give it more, or a function",
                self._id,
            )
        self._said += 1
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _completion(self, reply: str, call: ReplayCall) -> Completion:
        tokens = _tokens(cut_at_stop(reply, call.stop)[0])
        said = tokens[: call.max_tokens]
        return Completion(
            text="".join(said),
            token_ids=_ids(said),
            logprobs=(_LOGPROB,) * len(said),
            finish="length" if len(tokens) > len(said) else "stop",
            prompt_tokens=self.count_tokens(call.messages),
        )

    def _scored(self, messages: Sequence[Message], candidate: str) -> ScoredText:
        if self._scores is None:
            raise LMError("ReplayLM was given no scores; give it a mapping or a function", self._id)
        if not callable(self._scores) and candidate not in self._scores:
            raise LMError(f"ReplayLM has no score for {candidate!r}; it has them for {sorted(self._scores)}", self._id)
        total = self._scores(messages, candidate) if callable(self._scores) else self._scores[candidate]
        ids = _ids(_tokens(candidate))
        logprobs = (total / len(ids),) * len(ids)
        return ScoredText(text=candidate, token_ids=ids, logprobs=logprobs, prompt_tokens=self.count_tokens(messages))

    def _check_fits(self, messages: Sequence[Message], reply_tokens: int) -> None:
        prompt_tokens = self.count_tokens(messages)
        if prompt_tokens + reply_tokens > self._context_tokens:
            raise LMContextError(
                f"the prompt has {prompt_tokens} tokens and the reply up to {reply_tokens}, "
                f"together over the {self._context_tokens} of {self._id}; shorten the prompt",
                self._id,
            )


def _tokens(text: str) -> list[str]:
    """Words with the space before them; the last one takes the space after it."""
    return re.findall(r"\s*\S+(?:\s+$)?", text)


def _ids(tokens: Sequence[str]) -> tuple[int, ...]:
    return tuple(zlib.crc32(token.encode(errors="replace")) for token in tokens)
