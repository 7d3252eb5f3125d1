"""The connection to an OpenAI-compatible server: limits, retries and errors."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Literal

from agentgym_critic.errors import ConfigError, LMContextError, LMError, LMReplyError, LMTimeoutError, require
from agentgym_critic.lm.meter import Meter
from agentgym_critic.types import Cost

__all__ = ["Server", "used_tokens"]

_CONTEXT_HINTS = ("context_length", "context length", "context size", "maximum context", "max_model_len", "too long")
"""What servers write when a prompt does not fit; they agree on no code."""


class Server:
    """Sends chat requests through the official client.

    Args:
        base_url: address up to and including ``/v1``.
        api_key_env: environment variable that holds the key; None sends a placeholder, so
            that no key goes to a server it was not meant for.
        timeout_s: for one attempt.
        max_retries: further attempts after time-outs, connection failures and the statuses
            408, 409, 429 and 5xx, with growing pauses.
        max_concurrency: requests in flight at once.
        meter: where costs are added.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key_env: str | None,
        timeout_s: float,
        max_retries: int,
        max_concurrency: int,
        meter: Meter,
    ) -> None:
        openai = require("openai", "openai", "OpenAICompatibleLM")
        if timeout_s <= 0 or max_retries < 0 or max_concurrency < 1:
            raise ConfigError(
                "timeout_s is above 0, max_retries 0 or more, max_concurrency 1 or more, "
                f"got {timeout_s}, {max_retries}, {max_concurrency}"
            )
        key = "none" if api_key_env is None else os.environ.get(api_key_env)
        if not key:
            raise ConfigError(f"the environment variable {api_key_env} is to hold the API key and is not set")
        self._openai = openai
        self._client = openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout_s, max_retries=max_retries)
        self._url = base_url
        self._patience = f"{timeout_s:g} s in each of {max_retries + 1} attempts"
        self._slots = threading.BoundedSemaphore(max_concurrency)
        self._meter = meter

    def chat(self, **request: Any) -> Any:
        """One chat completion, with at least one choice.

        Returns:
            The client's ``ChatCompletion``. The client does not check what servers send, so any
            field of it may be missing.

        Raises:
            LMTimeoutError: no attempt was answered in time.
            LMContextError: the server says that the prompt is too long.
            LMReplyError: the answer is no chat completion.
            LMError: the server cannot be reached or refused.
        """
        started = time.perf_counter()
        reply, retries = None, 0
        try:
            with self._slots:
                raw = self._client.chat.completions.with_raw_response.create(**request)
                retries = raw.retries_taken
                reply = raw.parse()
        except self._openai.APITimeoutError as cause:
            raise LMTimeoutError(f"{self._url} did not answer within {self._patience}", self._url) from cause
        except self._openai.APIStatusError as cause:
            raise self._refusal(cause) from cause
        except self._openai.APIConnectionError as cause:
            reason = cause.__cause__ or cause
            raise LMError(f"{self._url} cannot be reached ({reason}); is the server running?", self._url) from cause
        except (ValueError, self._openai.OpenAIError) as cause:
            raise LMReplyError(f"{self._url} did not answer with JSON: {cause}", self._url) from cause
        finally:
            self._meter.add(_cost(reply, time.perf_counter() - started), retries)
        if not getattr(reply, "choices", None):
            raise LMReplyError(f"{self._url} answered without choices: {str(reply)[:200]!r}", self._url)
        return reply

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _refusal(self, error: Any) -> LMError:
        text = error.response.text.strip()[:500] or str(error)
        if error.status_code in (400, 413, 422) and any(hint in text.lower() for hint in _CONTEXT_HINTS):
            return LMContextError(f"the prompt does not fit, says {self._url}: {text}", self._url)
        advice = "; check api_key_env" if error.status_code in (401, 403) else ""
        return LMError(f"{self._url} answered with status {error.status_code}: {text}{advice}", self._url)


def used_tokens(reply: Any, kind: Literal["prompt_tokens", "completion_tokens"]) -> int | None:
    """What the server counted for a request; None if it told no number."""
    told = getattr(getattr(reply, "usage", None), kind, None)
    return told if isinstance(told, int) else None


def _cost(reply: Any, seconds: float) -> Cost:
    return Cost(
        calls=1,
        prompt_tokens=used_tokens(reply, "prompt_tokens") or 0,
        completion_tokens=used_tokens(reply, "completion_tokens") or 0,
        seconds=seconds,
    )
