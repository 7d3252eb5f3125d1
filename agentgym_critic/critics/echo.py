"""Tell an answer from a repetition: what a model copies from its prompt is no judgement of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from agentgym_critic.critics.reply import UnreadableReplyError, repeats
from agentgym_critic.lm.base import Message

__all__ = ["ECHO_RULE", "refuse_echo", "uncopied"]

T = TypeVar("T")

ECHO_RULE = 2
"""Version of the rule; part of the version of every critic that reads replies."""


def refuse_echo(reply: str, messages: Sequence[Message]) -> None:
    """Refuse a reply that quotes the world as the prompt does, or one of whose JSON objects stands in the prompt.

    A world can show text that looks like an answer; a model that repeats it, with or without the
    quotation marks, has not judged.

    Args:
        reply: what the model said.
        messages: what it was asked; its own earlier replies left out.

    Raises:
        UnreadableReplyError: it is such a repetition, or holds a broken JSON object (`unparsable`).
    """
    prompt = "\n".join(message.content for message in messages)
    shown = set(prompt.splitlines())
    quotes = any(line.startswith("| ") and line.strip() != "|" and line in shown for line in reply.splitlines())
    if quotes or repeats(reply, prompt):
        raise UnreadableReplyError("unparsable", "it repeats what it was shown instead of judging it.")


def uncopied(reader: Callable[[str], T], messages: Sequence[Message]) -> Callable[[str], T]:
    """A reader of replies to `messages` that first refuses repetitions of them, as `refuse_echo`."""

    def read(reply: str) -> T:
        refuse_echo(reply, messages)
        return reader(reply)

    return read
