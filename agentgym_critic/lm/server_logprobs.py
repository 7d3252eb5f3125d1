"""Token ids and log-probabilities out of the answers of different servers, where they are told at all.

vLLM writes ids as ``"token_id:123"`` on request; llama.cpp adds a field ``id``; the common
protocol has only the token's text.
"""

from __future__ import annotations

import math
from typing import Any

from agentgym_critic.errors import LMError, LMReplyError
from agentgym_critic.lm.base import LOGPROB_FLOOR, ScoredText
from agentgym_critic.lm.server import used_tokens

__all__ = ["first_token_score", "sampled_tokens", "trailing_tokens"]

_NONE: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())


def sampled_tokens(choice: Any) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Ids and log-probabilities of a sampled reply; both empty unless the server tells both of every token."""
    entries = getattr(getattr(choice, "logprobs", None), "content", None) or []
    ids = [_token_id(entry) for entry in entries]
    logprobs = [_logprob(getattr(entry, "logprob", None)) for entry in entries]
    if not entries or None in ids or None in logprobs:
        return _NONE
    return tuple(id for id in ids if id is not None), tuple(value for value in logprobs if value is not None)


def first_token_score(reply: Any, candidate: str, seconds: float) -> ScoredText:
    """The score of a candidate that is a single token, from the alternatives to the first sampled token.

    Raises:
        LMError: the server told no alternatives, or the candidate is not among them.
    """
    entries = getattr(getattr(reply.choices[0], "logprobs", None), "content", None)
    if not entries:
        raise LMError(
            "this server returns no log-probabilities, so it cannot score; use TransformersLM, "
            "a vLLM server with server='vllm', or a critic that only generates"
        )
    told = {option.token.strip(): option for option in reversed([entries[0], *(entries[0].top_logprobs or [])])}
    option = told.get(candidate.strip())
    logprob = _logprob(option.logprob) if option else None
    if logprob is None:
        raise LMError(
            f"this server scores only single tokens among its likeliest, and {candidate!r} is not one of "
            f"{sorted(told)}; use TransformersLM or a vLLM server with server='vllm' to score any text"
        )
    id = _token_id(option)
    return ScoredText(
        text=candidate,
        token_ids=() if id is None else (id,),
        logprobs=(logprob,),
        prompt_tokens=used_tokens(reply, "prompt_tokens") or 0,
        seconds=seconds,
    )


def trailing_tokens(reply: Any, candidate: str, prompt_tokens: int) -> ScoredText:
    """The score of a candidate that was sent as the end of the prompt to vLLM.

    Raises:
        LMReplyError: the answer holds no log-probabilities of the prompt, or the tokens after
            the prompt do not spell the candidate.
    """
    told = getattr(reply, "prompt_logprobs", None)
    if not isinstance(told, list) or len(told) <= prompt_tokens:
        raise LMReplyError("the server returned no prompt_logprobs for the candidate; is it vLLM?")
    try:
        tokens = [_prompt_token(position) for position in told[prompt_tokens:]]
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as cause:
        raise LMReplyError(f"the server's prompt_logprobs have an unknown form: {told[prompt_tokens:]}") from cause
    spelled = "".join(text for _, _, text in tokens)
    if "\ufffd" not in spelled and spelled.strip() != candidate.strip():
        raise LMReplyError(f"the server scored {spelled!r} in place of the candidate {candidate!r}")
    return ScoredText(
        text=candidate,
        token_ids=tuple(id for id, _, _ in tokens),
        logprobs=tuple(logprob for _, logprob, _ in tokens),
        prompt_tokens=prompt_tokens,
    )


def _prompt_token(position: dict[str, dict[str, Any]]) -> tuple[int, float, str]:
    """Id, log-probability and text of one token of a prompt."""
    id, token = next(iter(position.items()))
    return int(id), max(float(token["logprob"]), LOGPROB_FLOOR), str(token["decoded_token"])


def _token_id(entry: Any) -> int | None:
    token, id = getattr(entry, "token", None), getattr(entry, "id", None)
    if isinstance(token, str) and token.startswith("token_id:"):
        return int(token.removeprefix("token_id:"))
    return id if isinstance(id, int) else None


def _logprob(value: Any) -> float | None:
    """A finite number, or None for what is none. JSON servers write -inf as a very low number or as null."""
    if not isinstance(value, int | float) or math.isnan(value):
        return None
    return max(float(value), LOGPROB_FLOOR)
