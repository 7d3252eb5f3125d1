"""Tell an answer from a repetition: what a model copies from its prompt is no judgement of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.lm.base import Message

__all__ = ["refuse_echo"]

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_QUOTED = re.compile(r"^\| ?", re.MULTILINE)


def refuse_echo(reply: str, messages: Sequence[Message]) -> None:
    """Refuse a reply that quotes the world as the prompt does, or whose JSON object stands in the prompt.

    A world can show text that looks like an answer; a model that repeats it, with or without the
    quotation marks, has not judged.

    Args:
        reply: what the model said.
        messages: what it was asked; its own earlier replies left out.

    Raises:
        UnreadableReplyError: it is such a repetition (`unparsable`).
    """
    prompt = "\n".join(message.content for message in messages)
    shown = set(prompt.splitlines())
    quotes = any(line.startswith("| ") and line.strip() != "|" and line in shown for line in reply.splitlines())
    said = _OBJECT.search(reply)
    if quotes or (said and _plain(said[0]) in _plain(prompt)):
        raise UnreadableReplyError("unparsable", "it repeats what it was shown instead of judging it.")


def _plain(text: str) -> str:
    """Text without quotation marks and with single blanks."""
    return " ".join(_QUOTED.sub("", text).split())
