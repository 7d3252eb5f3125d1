"""The one place where the loop meets a critic: whatever a critic does, verdicts come out.

A critic that raises, answers with the wrong number of verdicts, or with something that is no
verdict, leaves unscored ones of the right failure class. Nothing is ever scored on its behalf.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agentgym_critic.critics.base import HindsightCritic, PreCritic
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.errors import LMContextError, LMReplyError, LMTimeoutError, OutOfRangeError
from agentgym_critic.types import Action, Experience, FailureClass, Trajectory, Turn, Verdict, to_builtins

__all__ = ["checked_verdict", "failure_class", "failure_detail", "safe_judge", "safe_review"]

_log = logging.getLogger(__name__)


def safe_judge(
    critic: PreCritic, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
) -> list[Verdict]:
    """One verdict for each action, whatever the critic does.

    Only what is not an `Exception`, such as `KeyboardInterrupt`, passes through.
    """
    return _safely(critic, len(actions), lambda: critic.judge(turn, actions, experiences))


def safe_review(critic: HindsightCritic, trajectory: Trajectory) -> list[Verdict]:
    """One verdict for each step, whatever the critic does; see `safe_judge`."""
    return _safely(critic, len(trajectory.steps), lambda: critic.review(trajectory))


def failure_class(error: Exception) -> FailureClass:
    """What to write into the verdict that this exception leaves unscored."""
    if isinstance(error, UnreadableReplyError):
        return error.failure
    classes: dict[type[Exception], FailureClass] = {
        LMTimeoutError: "timeout",
        TimeoutError: "timeout",
        LMContextError: "context",
        LMReplyError: "unparsable",
        _WrongCountError: "wrong_count",
        OutOfRangeError: "out_of_range",
    }
    return next((failure for kind, failure in classes.items() if isinstance(error, kind)), "error")


def failure_detail(error: Exception) -> str:
    """The exception's name and text, for people."""
    return f"{type(error).__name__}: {error}"


def _safely(critic: Any, count: int, call: Callable[[], Sequence[Verdict]]) -> list[Verdict]:
    name, version = _identity(critic)
    try:
        answers: list[Any] = list(call())
        if len(answers) != count:
            raise _WrongCountError(f"{count} verdicts were asked for, {len(answers)} came back")
    except Exception as error:
        _log.warning("critic %s failed", name, exc_info=error)
        return [_unscored(error, name, version)] * count
    problems: list[Exception] = []
    verdicts = []
    for answer in answers:
        try:
            verdicts.append(checked_verdict(answer))
        except Exception as error:
            problems.append(error)
            verdicts.append(_unscored(error, name, version))
    if problems:
        _log.warning("critic %s gave %d unusable verdicts", name, len(problems), exc_info=problems[0])
    return verdicts


class _WrongCountError(Exception):
    """Another number of verdicts than was asked for."""


def _unscored(error: Exception, name: str, version: str) -> Verdict:
    return Verdict.unscored(name, failure_class(error), failure_detail(error), version=version)


def checked_verdict(answer: Any) -> Verdict:
    """The answer of a critic if it is a verdict that can be stored, a NumPy `p` made plain.

    Raises:
        TypeError: it is none.
        OutOfRangeError: its p is no probability.
        msgspec.ValidationError: another field is of the wrong type.
    """
    if not isinstance(answer, Verdict):
        raise TypeError(f"a critic answers with Verdict objects, got {type(answer).__name__}")
    if type(answer.p) is not float and answer.p is not None:
        answer = msgspec.structs.replace(answer, p=float(answer.p))
    return msgspec.convert(to_builtins(answer), Verdict)


def _identity(critic: Any) -> tuple[str, str]:
    try:
        return str(critic.id), str(critic.version)
    except Exception:  # its own id fails: name the class, and let the call say more
        return type(critic).__name__, "unknown"
