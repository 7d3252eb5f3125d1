"""Hand unreadable replies of a language model back to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.critics.templates import template
from agentgym_critic.lm.base import Message, user
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fill

__all__ = ["read_reply"]

T = TypeVar("T")


def read_reply(
    lm: MeteredLM, messages: Sequence[Message], reply: str, reader: Callable[[str], T], *, retries: int, **settings: Any
) -> T:
    """What `reader` reads in `reply`; an unreadable reply goes back with what was wrong, and another is read.

    Args:
        lm: what is asked for another reply.
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
    again = lm.generate(messages, **settings)[0].text
    return read_reply(lm, messages, again, reader, retries=retries - 1, **settings)
