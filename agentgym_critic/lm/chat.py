"""Messages to prompt tokens and candidates to reply tokens, by a tokenizer's chat template.

A tokenizer without a template (a base model) gets a plain format: each message is its
role's name with a colon, a line break, its text and an empty line; the reply follows
"Assistant:" and a line break.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import Message
from agentgym_critic.types import clean_text

__all__ = ["PLAIN_STOP", "Chat"]

PLAIN_STOP = "\n\nUser:\n"
"""Ends a reply in the plain format: the model goes on as the user."""

_ZERO_WIDTH_SPACE = "\u200b"


class Chat:
    """The text side of a model.

    Args:
        tokenizer: a ``transformers`` tokenizer.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.templated = bool(tokenizer.chat_template)
        self._special = sorted(
            (token.content for token in tokenizer.added_tokens_decoder.values() if token.special and token.content),
            key=len,
            reverse=True,
        )

    def prompt_ids(self, messages: Sequence[Message]) -> list[int]:
        """The prompt up to where the assistant's reply begins.

        Raises:
            ConfigError: there are no messages, or the template refuses them.
        """
        if not messages:
            raise ConfigError("a prompt needs at least one message, got none")
        if not self.templated:
            return list(self._tokenizer(self._plain(messages)).input_ids)
        try:
            text = self._render(messages)
        except Exception as refusal:
            if messages[0].role != "system":
                raise ConfigError(f"the model's chat template refuses these messages: {refusal}") from refusal
            # Some templates know no system role: the instructions then open the first user message.
            return self.prompt_ids(_folded(messages))
        return list(self._tokenizer(text, add_special_tokens=False).input_ids)

    def reply_ids(self, text: str) -> list[int]:
        """A reply as it would follow the prompt, without an end-of-turn token."""
        return list(self._tokenizer(self._defused(text), add_special_tokens=False).input_ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of a reply, special tokens left out."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _render(self, messages: Sequence[Message]) -> str:
        chat = [{"role": message.role, "content": self._defused(message.content)} for message in messages]
        return str(self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))

    def _plain(self, messages: Sequence[Message]) -> str:
        parts = [f"{message.role.capitalize()}:\n{self._defused(message.content)}\n\n" for message in messages]
        return "".join(parts) + "Assistant:\n"

    def _defused(self, text: str) -> str:
        """Text in which no control token is spelled out: what an environment says cannot end its message."""
        text = clean_text(text)
        for token in self._special:
            text = text.replace(token, token[0] + _ZERO_WIDTH_SPACE + token[1:])
        return text


def _folded(messages: Sequence[Message]) -> list[Message]:
    system, *rest = messages
    if not rest or rest[0].role != "user":
        return [Message(role="user", content=system.content), *rest]
    return [Message(role="user", content=f"{system.content}\n\n{rest[0].content}"), *rest[1:]]
