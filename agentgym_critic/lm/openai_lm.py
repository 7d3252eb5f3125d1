"""A language model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, SGLang and others.

What a server does not tell (token ids, log-probabilities) stays empty; nothing is invented.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, get_args

import msgspec

from agentgym_critic.errors import ConfigError, LMReplyError
from agentgym_critic.lm.base import Completion, Message, ScoredText
from agentgym_critic.lm.meter import Meter
from agentgym_critic.lm.request import check_sampling, cut_at_stop, repeated
from agentgym_critic.lm.server import Server, used_tokens
from agentgym_critic.lm.server_logprobs import first_token_score, sampled_tokens, trailing_tokens
from agentgym_critic.types import clean_text

__all__ = ["OpenAICompatibleLM", "ServerKind"]

ServerKind = Literal["generic", "llama.cpp", "vllm"]
"""What is known of the server beyond the common protocol."""

_BYTES_PER_TOKEN = 3
"""Low for English, so that the estimate errs on the long side."""
_TOP = 20
"""Most alternatives that the protocol lets one ask for."""


class OpenAICompatibleLM:
    """A chat model on a server, through the official client; safe to call from several threads.

    Token ids and log-probabilities of replies come from servers of the kinds ``vllm`` and
    ``llama.cpp``. `score` takes any candidates on ``vllm``; elsewhere only candidates that are
    one token each and among the 20 likeliest.

    Args:
        model: the model's name on the server.
        base_url: the server's address up to and including ``/v1``.
        server: what kind of server it is.
        context_tokens: the server's context window; the protocol does not tell it.
        api_key_env: environment variable that holds the API key; None for servers without.
        timeout_s: for one attempt.
        max_retries: further attempts, with growing pauses, where another may help.
        max_concurrency: requests in flight at once.
        price_per_mtok: money for a million prompt and a million completion tokens.
        extra_body: further fields of every request, for example ``{"top_k": 50}``.

    Attributes:
        meter: what all calls cost so far.
        source: where the model is.

    Raises:
        MissingExtraError: the extra ``openai`` is not installed.
        ConfigError: a setting is wrong, or the key is not set.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        server: ServerKind = "generic",
        context_tokens: int = 8192,
        api_key_env: str | None = None,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        max_concurrency: int = 8,
        price_per_mtok: tuple[float, float] = (0.0, 0.0),
        extra_body: dict[str, Any] | None = None,
    ) -> None:
        if server not in get_args(ServerKind):
            raise ConfigError(f"server is one of {', '.join(get_args(ServerKind))}, got {server!r}")
        self.meter = Meter(*price_per_mtok)
        self.source = f"server: {model} at {base_url}"
        self._model = model
        self._kind = server
        self._context_tokens = context_tokens
        self._extra = dict(extra_body or {})
        self._workers = max_concurrency
        self._server = Server(
            base_url,
            api_key_env=api_key_env,
            timeout_s=timeout_s,
            max_retries=max_retries,
            max_concurrency=max_concurrency,
            meter=self.meter,
        )

    @property
    def id(self) -> str:
        """The model's name on the server; its number format is not known."""
        return self._model

    @property
    def context_tokens(self) -> int:
        """Largest prompt plus reply, as it was given."""
        return self._context_tokens

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Length of the prompt these messages become, estimated on the long side."""
        return sum(4 + math.ceil(len(clean_text(m.content).encode()) / _BYTES_PER_TOKEN) for m in messages)

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
        """Sample `n` replies, in one request where the server can; temperature 0 is greedy, and then all are one.

        Raises:
            LMContextError: the server says that the prompt is too long.
            LMTimeoutError: no answer in time, retries included.
            LMReplyError: the answer cannot be used.
            LMError: the server refused or cannot be reached.
            ConfigError: a setting is out of range.
        """
        check_sampling(n, max_tokens, temperature, stop)
        request: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
        if stop:
            request["stop"] = list(stop)
        if self._kind != "generic":
            request["logprobs"] = True
        if self._kind == "vllm":
            request["extra_body"] = {"return_tokens_as_token_ids": True}
        wanted = n if temperature > 0 else 1
        started, requests = time.perf_counter(), 0
        replies: list[Completion] = []
        while len(replies) < wanted:  # many servers give one reply, whatever n is
            if seed is not None:
                request["seed"] = seed + len(replies)
            replies += _completions(self._ask(messages, n=wanted - len(replies), **request), stop)
            requests += 1
        seconds = (time.perf_counter() - started) / n
        return [
            msgspec.structs.replace(reply, requests=requests, seconds=seconds)
            for reply in repeated(replies[:wanted], n)
        ]

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """Log-probabilities of each candidate as the assistant's next reply.

        Raises:
            LMError: the server cannot score these candidates; the message says what can.
            ConfigError: there is no candidate, or an empty one.
        """
        if not candidates or not all(candidates):
            raise ConfigError(f"score needs at least one candidate and no empty one, got {list(candidates)}")
        if self._kind == "vllm":
            return self._score_as_prompt(messages, candidates)
        started = time.perf_counter()
        reply = self._ask(messages, max_tokens=1, temperature=0.0, logprobs=True, top_logprobs=_TOP)
        seconds = (time.perf_counter() - started) / len(candidates)
        return [first_token_score(reply, candidate, seconds) for candidate in candidates]

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _score_as_prompt(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """Send each candidate as the beginning of the reply, and have the prompt's own tokens scored."""
        started = time.perf_counter()
        prompt_tokens = used_tokens(self._ask(messages, max_tokens=1, temperature=0.0), "prompt_tokens")
        if prompt_tokens is None:
            raise LMReplyError("the server did not say how many tokens the prompt has; is it vLLM?")

        def scored(candidate: str) -> ScoredText:
            reply = self._ask(
                [*messages, Message(role="assistant", content=candidate)],
                max_tokens=1,
                temperature=0.0,
                extra_body={"add_generation_prompt": False, "continue_final_message": True, "prompt_logprobs": 0},
            )
            return trailing_tokens(reply, candidate, prompt_tokens)

        with ThreadPoolExecutor(self._workers) as pool:
            scores = list(pool.map(scored, candidates))
        seconds = (time.perf_counter() - started) / len(candidates)
        return [msgspec.structs.replace(score, requests=1 + len(candidates), seconds=seconds) for score in scores]

    def _ask(self, messages: Sequence[Message], *, extra_body: dict[str, Any] | None = None, **request: Any) -> Any:
        if not messages:
            raise ConfigError("a prompt needs at least one message, got none")
        chat = [{"role": message.role, "content": clean_text(message.content)} for message in messages]
        return self._server.chat(
            model=self._model, messages=chat, extra_body={**self._extra, **(extra_body or {})}, **request
        )


def _completions(reply: Any, stop: Sequence[str]) -> list[Completion]:
    """The replies of one request, whose tokens the server counts together."""
    count = len(reply.choices)
    sampled = used_tokens(reply, "completion_tokens")
    shares = [-1 if sampled is None else (sampled + place) // count for place in range(count)]
    return [_completion(choice, reply, stop, share) for choice, share in zip(reply.choices, shares, strict=True)]


def _completion(choice: Any, reply: Any, stop: Sequence[str], completion_tokens: int) -> Completion:
    details = getattr(getattr(reply, "usage", None), "prompt_tokens_details", None)
    ids, logprobs = sampled_tokens(choice)
    message = getattr(choice, "message", None)
    return Completion(
        text=cut_at_stop(getattr(message, "content", None) or "", stop)[0],
        token_ids=ids,
        logprobs=logprobs,
        finish="length" if getattr(choice, "finish_reason", None) == "length" else "stop",
        prompt_tokens=used_tokens(reply, "prompt_tokens") or 0,
        cached_tokens=getattr(details, "cached_tokens", 0) or 0,
        completion_tokens=completion_tokens,
    )
