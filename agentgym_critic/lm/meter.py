"""What calls to language models cost. Knows no model, and not what the calls are for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from agentgym_critic.errors import LMReplyError
from agentgym_critic.lm.base import Completion, LanguageModel, Message, ScoredText
from agentgym_critic.types import Cost

__all__ = ["Meter", "MeteredLM"]

R = TypeVar("R", Completion, ScoredText)


class MeteredLM:
    """A language model whose calls add up in `cost`, failed ones included; one a turn or judgement.

    The prompt counts once a request, however many replies the request asks for. Scored tokens
    count as completion tokens. Seconds are wall time.

    Args:
        lm: the model.
    """

    def __init__(self, lm: LanguageModel) -> None:
        self._lm = lm
        self.cost = Cost()

    def generate(self, messages: Sequence[Message], *, n: int = 1, **settings: Any) -> list[Completion]:
        """As `LanguageModel.generate`.

        Raises:
            LMReplyError: another number of replies came back than was asked for.
            LMError: as the model's.
        """
        return self._metered(lambda: self._lm.generate(messages, n=n, **settings), n)

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """As `LanguageModel.score`.

        Raises:
            LMReplyError: another number of scores came back than was asked for.
            LMError: as the model's.
        """
        return self._metered(lambda: self._lm.score(messages, candidates), len(candidates))

    def _metered(self, call: Callable[[], list[R]], wanted: int) -> list[R]:
        replies: list[R] = []
        started = time.perf_counter()
        try:
            replies = call()
        finally:
            self.cost += _cost(replies, time.perf_counter() - started)
        if len(replies) != wanted:
            raise LMReplyError(f"the model was asked for {wanted} replies and gave {len(replies)}", "language model")
        return replies


class Meter:
    """Adds up what a server was asked for; safe to use from several threads.

    Args:
        prompt_price: money for a million prompt tokens.
        completion_price: money for a million completion tokens.
    """

    def __init__(self, prompt_price: float = 0.0, completion_price: float = 0.0) -> None:
        self._prices = (prompt_price, completion_price)
        self._lock = threading.Lock()
        self._cost = Cost()
        self._retries = 0

    @property
    def cost(self) -> Cost:
        """Calls (failed ones included), tokens and seconds so far."""
        return self._cost

    @property
    def retries(self) -> int:
        """Repeated requests behind the calls that were answered."""
        return self._retries

    @property
    def money(self) -> float:
        """Price of the tokens so far, in the currency of the prices."""
        return (self._cost.prompt_tokens * self._prices[0] + self._cost.completion_tokens * self._prices[1]) / 1e6

    def add(self, cost: Cost, retries: int = 0) -> None:
        """Add what one call used."""
        with self._lock:
            self._cost += cost
            self._retries += retries


def _cost(replies: Sequence[Completion] | Sequence[ScoredText], seconds: float) -> Cost:
    """Of one call, all its replies together; a call without any was one request."""
    requests = max((reply.requests for reply in replies), default=1)
    return Cost(
        calls=requests,
        prompt_tokens=requests * max((reply.prompt_tokens for reply in replies), default=0),
        completion_tokens=sum(reply.completion_tokens for reply in replies),
        seconds=seconds,
    )
