"""The context policy: which of the oldest steps to leave out so that a prompt fits the model.

Once a prompt is too long, the older half of the steps still shown goes, again and again until
it fits; the cut then stays where it is until the prompt is too long again. Cutting rarely and
much, rather than one step each turn, keeps the beginning of the prompt, and with it the
model's prefix cache, the same for many turns.
"""

from __future__ import annotations

from collections.abc import Callable

from agentgym_critic.errors import LMContextError
from agentgym_critic.lm.base import LanguageModel, Message

__all__ = ["Window"]


class Window:
    """The steps of one episode that the model still sees.

    Args:
        lm: whose context window it is.
    """

    def __init__(self, lm: LanguageModel) -> None:
        self._lm = lm
        self.dropped = 0
        """How many of the oldest steps are left out."""

    def fit(self, build: Callable[[int], list[Message]], steps: int, reply_tokens: int) -> list[Message]:
        """The longest prompt that this policy allows.

        Args:
            build: the prompt without the given number of oldest steps.
            steps: how many past steps there are.
            reply_tokens: what must be left for the reply.

        Raises:
            LMContextError: even without any past step it does not fit.
        """
        if self.dropped > steps:  # the episode was taken back to an earlier step
            self.dropped = 0
        while True:
            messages = build(self.dropped)
            tokens = self._lm.count_tokens(messages)
            if tokens + reply_tokens <= self._lm.context_tokens:
                return messages
            if self.dropped == steps:
                raise LMContextError(self._explain(tokens, reply_tokens), self._lm.id)
            self.dropped += (steps - self.dropped + 1) // 2

    def _explain(self, tokens: int, reply_tokens: int) -> str:
        return (
            f"the current turn alone takes {tokens} tokens and the reply up to {reply_tokens}, "
            f"more than the {self._lm.context_tokens} of {self._lm.id}"
        )
