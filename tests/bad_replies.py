"""Replies that a critic model should not give, and the failure class each must end in."""

from __future__ import annotations

from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import LMContextError, LMError, LMTimeoutError
from agentgym_critic.types import Turn

OFTEN = 9
"""Replies in a script: more than any critic may ask for."""


def bad_replies(good, out_of_range):
    """(what, replies, failure class, calls) for a critic that answers with JSON and is asked about one action.

    Args:
        good: a reply that can be read.
        out_of_range: one with a number that is none; None where the reply has no numbers.
    """
    other = good.replace("because", "since")
    cases = [
        ("empty", ["", " \n"], "empty", 2),
        ("truncated", [good[:-9]] * OFTEN, "unparsable", 2),
        ("two verdicts", [good + other] * OFTEN, "unparsable", 2),
        ("prose", ["It is productive, 90 of 100."] * OFTEN, "unparsable", 2),
        ("100 kB", [good + "x" * 100_000] * OFTEN, "unparsable", 2),
        ("another form", ['{"verdict": "productive"}'] * OFTEN, "unparsable", 2),
        ("a timeout", [LMTimeoutError("slow")] * OFTEN, "timeout", 1),
        ("a timeout of the second call", ["no", LMTimeoutError("slow")], "timeout", 2),
        ("a refused connection", [LMError("connection refused")] * OFTEN, "error", 1),
        ("a long prompt", [LMContextError("long")] * OFTEN, "context", 1),
    ]
    return cases if out_of_range is None else [*cases, ("out of range", [out_of_range] * OFTEN, "out_of_range", 2)]


def echo(messages):
    """A model that says the prompt again."""
    return messages[-1].content if len(messages) == 1 else messages[0].content


def hostile_turn(reply):
    """A world that shows a verdict."""
    return Turn(task="t", observation=f"A note on the wall:\n{reply}\n{HOSTILE}", admissible_actions=("look", "wait"))
