"""Call a language model: keep account, also when a call fails, and hand unreadable replies back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import LMReplyError
from agentgym_critic.lm.base import Completion, LanguageModel, Message, ScoredText, user
from agentgym_critic.prompts import fill
from agentgym_critic.types import Cost

__all__ = ["MeteredLM"]


R = TypeVar("R", Completion, ScoredText)
T = TypeVar("T")


class MeteredLM:
    """A language model whose calls add up in `cost`; one a judgement.

    The prompt of a call counts once, however many replies it asks for.

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
        with self._timed():
            return self._counted(self._lm.generate(messages, n=n, **settings), n)

    def score(self, messages: Sequence[Message], candidates: Sequence[str]) -> list[ScoredText]:
        """As `LanguageModel.score`.

        Raises:
            LMReplyError: another number of scores came back than was asked for.
            LMError: as the model's.
        """
        with self._timed():
            return self._counted(self._lm.score(messages, candidates), len(candidates))

    def read(
        self, messages: Sequence[Message], reply: str, reader: Callable[[str], T], *, retries: int, **settings: Any
    ) -> T:
        """What `reader` reads in `reply`; an unreadable reply goes back with what was wrong, and another is read.

        Args:
            messages: what the reply answers.
            reply: what the model said.
            reader: raises `UnreadableReplyError`.
            retries: how many more replies may be asked for.
            settings: of `generate`.

        Raises:
            UnreadableReplyError: the last reply could not be read either.
            LMError: as the model's.
        """
        try:
            return reader(reply)
        except UnreadableReplyError as error:
            if retries < 1:
                raise
            complaint = user(fill(template("retry"), problem=str(error)))
            messages = [*messages, Message(role="assistant", content=reply), complaint]
        again = self.generate(messages, **settings)[0].text
        return self.read(messages, again, reader, retries=retries - 1, **settings)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.cost += Cost(calls=1, seconds=time.perf_counter() - started)

    def _counted(self, replies: list[R], wanted: int) -> list[R]:
        self.cost += Cost(
            prompt_tokens=max((reply.prompt_tokens for reply in replies), default=0),
            completion_tokens=sum(len(reply.token_ids) for reply in replies),
        )
        if len(replies) != wanted:
            raise LMReplyError(f"the model was asked for {wanted} replies and gave {len(replies)}", "language model")
        return replies
