"""Plain functions as critics: the shortest way to plug in one of your own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

__all__ = ["Answer", "FunctionCritic", "FunctionHindsightCritic", "name_of"]

Answer = float | Verdict | None
"""What a function may say of a step: the probability that it is productive, a verdict, or nothing (unscored)."""


class FunctionCritic:
    """A function of turn and action as a `PreCritic`.

    Where the function raises, or answers None or what is no probability, that action is
    unscored; the others are judged all the same.

    Args:
        judge_one: called for each action.
        id: None for the function's module and name.
        version: None for a fingerprint of the function's own code; what the function calls or
            reads elsewhere is not in it, so give one if that may change.
    """

    recall_k = 0

    def __init__(
        self, judge_one: Callable[[Turn, Action], Answer], *, id: str | None = None, version: str | None = None
    ) -> None:
        self.id, self.version = id or name_of(judge_one), version or _code_of(judge_one)
        self._judge_one = judge_one

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action."""
        return [self._judge(turn, action) for action in actions]

    def _judge(self, turn: Turn, action: Action) -> Verdict:
        try:
            answer = self._judge_one(turn, action)
        except Exception as error:
            return _failed(self, error)
        return _read(self, answer)


class FunctionHindsightCritic:
    """A function of a trajectory, one answer for each step, as a `HindsightCritic`.

    Args:
        review_all: called once an episode.
        id: None for the function's module and name.
        version: None for a fingerprint of the function's own code, as for `FunctionCritic`.
    """

    def __init__(
        self, review_all: Callable[[Trajectory], Sequence[Answer]], *, id: str | None = None, version: str | None = None
    ) -> None:
        self.id, self.version = id or name_of(review_all), version or _code_of(review_all)
        self._review_all = review_all

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each answer of the function, whatever their number; it raises what the function raises."""
        return [_read(self, answer) for answer in self._review_all(trajectory)]


def _read(critic: FunctionCritic | FunctionHindsightCritic, answer: Any) -> Verdict:
    """The verdict in what a function answered; unscored if it is no probability."""
    if isinstance(answer, Verdict):
        return answer
    if answer is None:
        return Verdict.unscored(critic.id, "empty", "the function answered None", version=critic.version)
    try:
        if isinstance(answer, str):
            raise TypeError(f"the function answered the text {answer[:80]!r}; it answers a float, a Verdict or None")
        return Verdict(p=float(answer), critic=critic.id, version=critic.version)
    except Exception as error:
        return _failed(critic, error)


def _failed(critic: FunctionCritic | FunctionHindsightCritic, error: Exception) -> Verdict:
    return Verdict.unscored(critic.id, failure_class(error), failure_detail(error), version=critic.version)


def _code_of(function: Any) -> str:
    """A fingerprint of a function's code; "0" where there is none to see (a built-in, a callable object)."""
    code = getattr(function, "__code__", None)
    return _fingerprint_of(code) if isinstance(code, CodeType) else "0"


def _fingerprint_of(code: CodeType) -> str:
    constants = [_fingerprint_of(it) if isinstance(it, CodeType) else repr(it) for it in code.co_consts]
    return fingerprint(code.co_code, constants, code.co_names)


def name_of(source: Any) -> str:
    """Module and name of a class or function, or of an object's class."""
    named = source if hasattr(source, "__qualname__") else type(source)
    return f"{named.__module__}:{named.__qualname__}"
