"""Ask a language model for verdicts: metered, unreadable replies handed back, failures unscored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from agentgym_critic.critics.base import PreCritic
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMError
from agentgym_critic.lm.base import LanguageModel, Message, user
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fill
from agentgym_critic.types import Cost, Verdict

__all__ = ["asked", "read_reply"]

T = TypeVar("T")


def asked(
    critic: PreCritic, lm: LanguageModel, count: int, ask: Callable[[MeteredLM], Sequence[Verdict]]
) -> list[Verdict]:
    """What `ask` makes of the model, `count` verdicts; all unscored where the model or its reply fails.

    The cost of all calls is written to the first verdict, so that the sum is exact.
    """
    metered = MeteredLM(lm)
    try:
        first, *rest = ask(metered)
    except (LMError, ConfigError) as error:
        failure, detail = failure_class(error), failure_detail(error)
        costs = [metered.cost, *[Cost()] * (count - 1)]
        return [Verdict.unscored(critic.id, failure, detail, version=critic.version, cost=cost) for cost in costs]
    return [msgspec.structs.replace(first, cost=metered.cost), *rest]


def read_reply(
    lm: MeteredLM,
    messages: Sequence[Message],
    reply: str,
    reader: Callable[[str], T],
    *,
    retries: int,
    complaint: str = "retry",
    **settings: Any,
) -> T:
    """What `reader` reads in `reply`; an unreadable reply goes back with what was wrong, and another is read.

    Args:
        lm: what is asked for another reply.
        messages: what the reply answers.
        reply: what the model said.
        reader: raises `UnreadableReplyError`.
        retries: how many more replies may be asked for.
        complaint: name of the packaged prompt that says what was wrong.
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
        what_was_wrong = user(fill(template(complaint), problem=str(error)))
        messages = [*messages, Message(role="assistant", content=reply), what_was_wrong]
    again = lm.generate(messages, **settings)[0].text
    return read_reply(lm, messages, again, reader, retries=retries - 1, complaint=complaint, **settings)
