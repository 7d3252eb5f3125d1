"""A language model in this process, by transformers. Torch is imported when one is made."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from agentgym_critic.errors import ConfigError, LMContextError, LMError, boundary
from agentgym_critic.lm.base import Completion, Message, ScoredText
from agentgym_critic.lm.chat import PLAIN_STOP, Chat
from agentgym_critic.lm.loading import load
from agentgym_critic.lm.network import Network
from agentgym_critic.lm.prefix_cache import PrefixCache
from agentgym_critic.lm.request import check_sampling, repeated
from agentgym_critic.lm.sampling import Sampler
from agentgym_critic.lm.scoring import branching_agrees, score_branched, score_whole

__all__ = ["TransformersLM"]


class TransformersLM:
    """Any causal language model that transformers can load; safe to call from several threads.

    Keys and values of prompts are kept, so that the candidates of a turn share one
    computation of the prompt and the next turn of an episode computes only what is new.
    Results equal the uncached ones up to rounding. Models that cannot share a prefix
    (recurrent ones, or a sliding window that the text outgrows) are computed whole.

    Args:
        model: a Hugging Face id, a local folder, or a GGUF file.
        dtype: ``"float32"``, ``"bfloat16"``, ``"float16"``, or ``"auto"`` for the fastest of
            this machine, which a trial of a few milliseconds finds.
        device: ``"cpu"``, ``"cuda"``, ..., or ``"auto"``.
        prefix_cache: whether prompts are kept.
        prefix_cache_bytes: memory that kept prompts may take.
        batch_tokens: most tokens computed in one pass, which bounds memory.
        context_tokens: a smaller context window than the model's own.
        source: where the model came from, if `model` does not say it.

    Attributes:
        source: where the model came from, for a person to read.

    Raises:
        MissingDataError: the model is neither on this machine nor reachable.
        MissingExtraError: the extra ``lm`` is not installed.
        ConfigError: the settings fit no model.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        dtype: str = "auto",
        device: str = "auto",
        prefix_cache: bool = True,
        prefix_cache_bytes: int = 2**30,
        batch_tokens: int = 8192,
        context_tokens: int | None = None,
        source: str | None = None,
    ) -> None:
        if prefix_cache_bytes < 0 or batch_tokens < 1:
            raise ConfigError(
                f"prefix_cache_bytes is 0 or more, got {prefix_cache_bytes}; batch_tokens 1 or more, got {batch_tokens}"
            )
        loaded = load(model, dtype, device)
        self.source = source or str(model)
        self._chat = Chat(loaded.tokenizer)
        self._end_ids = loaded.end_ids
        self._id = f"{loaded.name}{'' if self._chat.templated else '+plain'}@{loaded.dtype}"
        self._context_tokens = min(loaded.context_tokens, context_tokens or loaded.context_tokens)
        self._batch_tokens = batch_tokens
        self._prefix_cache = prefix_cache
        self._network = Network(loaded.model, PrefixCache(prefix_cache_bytes if prefix_cache else 0))
        self._lock = threading.RLock()

    @property
    def id(self) -> str:
        """Name and number format; ``+plain`` if the model has no chat template."""
        return self._id

    @property
    def context_tokens(self) -> int:
        """Largest prompt plus reply, in tokens."""
        return self._context_tokens

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Length of the prompt these messages become, in tokens."""
        with self._lock:
            return len(self._chat.prompt_ids(messages))

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
        """Sample `n` replies in batches; temperature 0 is greedy, and then all replies are one.

        Log-probabilities are those at temperature 1, in float32; a token the model rules out
        has `LOGPROB_FLOOR`. A reply cut at a stop string keeps the ids it was sampled with.

        Raises:
            LMContextError: prompt plus `max_tokens` does not fit.
            LMError: the model failed.
            ConfigError: a setting is out of range.
        """
        check_sampling(n, max_tokens, temperature, stop)
        started = time.perf_counter()
        with self._lock, boundary(f"TransformersLM {self.id}", LMError):
            prompt = self._chat.prompt_ids(messages)
            self._check_fits(len(prompt), max_tokens, "max_tokens")
            sampler = Sampler(
                max_tokens=max_tokens,
                temperature=temperature,
                seed=seed,
                stop=tuple(stop) if self._chat.templated else (*stop, PLAIN_STOP),
                end_ids=self._end_ids,
                decode=self._chat.decode,
            )
            rows = n if temperature > 0 else 1
            batch = max(1, self._batch_tokens // (len(prompt) + max_tokens))
            samples, cached = sampler.run(self._network, prompt, rows, batch)
        seconds = (time.perf_counter() - started) / n
        replies = [
            Completion(
                text=sample.text,
                token_ids=tuple(sample.ids),
                logprobs=tuple(sample.logprobs),
                finish=sample.finish or "length",
                prompt_tokens=len(prompt),
                cached_tokens=cached,
                seconds=seconds,
            )
            for sample in samples
        ]
        return repeated(replies, n)

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """Log-probabilities of each candidate as the assistant's next reply (end-of-turn left out).

        The prompt keeps its tokens; each candidate is tokenised by itself and follows them.

        Raises:
            LMContextError: prompt plus the longest candidate does not fit.
            LMError: the model failed.
            ConfigError: there is no candidate, or an empty one.
        """
        started = time.perf_counter()
        with self._lock, boundary(f"TransformersLM {self.id}", LMError):
            prompt = self._chat.prompt_ids(messages)
            replies = self._replies(candidates)
            longest = max(map(len, replies))
            self._check_fits(len(prompt), longest, "the longest candidate")
            shared = self._shares and self._network.can_branch(len(prompt) + longest)
            scorer = score_branched if shared else score_whole
            logprobs, cached = scorer(self._network, prompt, replies, self._batch_tokens)
        seconds = (time.perf_counter() - started) / len(candidates)
        return [
            ScoredText(
                text=text,
                token_ids=tuple(ids),
                logprobs=tuple(values),
                prompt_tokens=len(prompt),
                cached_tokens=cached,
                seconds=seconds,
            )
            for text, ids, values in zip(candidates, replies, logprobs, strict=True)
        ]

    def clear_cache(self) -> None:
        """Forget all kept prompts and free their memory."""
        with self._lock:
            self._network.clear()

    @functools.cached_property
    def _shares(self) -> bool:
        return self._prefix_cache and branching_agrees(self._network)

    def _replies(self, candidates: Sequence[str]) -> list[list[int]]:
        if not candidates:
            raise ConfigError("score needs at least one candidate, got none")
        replies = [self._chat.reply_ids(candidate) for candidate in candidates]
        if not all(replies):
            raise ConfigError(f"candidate {replies.index([])} is empty: {candidates[replies.index([])]!r}")
        return replies

    def _check_fits(self, prompt_tokens: int, reply_tokens: int, what: str) -> None:
        if prompt_tokens + reply_tokens > self._context_tokens:
            raise LMContextError(
                f"the prompt has {prompt_tokens} tokens and {what} {reply_tokens}, "
                f"together over the {self._context_tokens} of {self.id}; shorten the prompt",
                f"TransformersLM {self.id}",
            )
