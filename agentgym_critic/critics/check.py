"""Try a critic on situations that are hard to get right, and list all it does wrong.

The counterpart of `check_text_env`: run it once in the tests of a package that defines a critic.
It judges form (types, numbers, contract), not whether the critic judges well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agentgym_critic.critics.adapt import as_critic, as_hindsight_critic
from agentgym_critic.critics.contract import HINDSIGHT_CRITIC, PRE_CRITIC, missing_parts
from agentgym_critic.critics.safe import checked_verdict, failure_detail
from agentgym_critic.critics.samples import sample_trajectories, sample_turns
from agentgym_critic.errors import CriticError
from agentgym_critic.types import Verdict, from_json, to_json

__all__ = ["check_critic", "check_hindsight_critic"]

_Call = Callable[[], Any]


def check_critic(critic: Any, *, deterministic: bool = False) -> None:
    """Check a pre-operative critic.

    Args:
        critic: an object, or a class, function or name as `as_critic` takes.
        deterministic: whether the same input must get the same p (or failure) again.

    Raises:
        CriticError: it breaks its contract; the message lists every violation.
        ConfigError: it is no critic at all.
    """
    problems = missing_parts(critic, PRE_CRITIC) if _is_object(critic, "judge") else []
    if not problems:
        own = as_critic(critic)
        calls = [
            (what, len(actions), partial(own.judge, turn, actions, experiences))
            for what, turn, actions, experiences in sample_turns(own.recall_k)
        ]
        problems = _all_violations(own, calls, deterministic)
    _report(critic, problems)


def check_hindsight_critic(critic: Any, *, deterministic: bool = False) -> None:
    """Check a hindsight critic; arguments and errors as for `check_critic`."""
    problems = missing_parts(critic, HINDSIGHT_CRITIC) if _is_object(critic, "review") else []
    if not problems:
        own = as_hindsight_critic(critic)
        calls = [
            (what, len(trajectory.steps), partial(own.review, trajectory)) for what, trajectory in sample_trajectories()
        ]
        problems = _all_violations(own, calls, deterministic)
    _report(critic, problems)


def _is_object(critic: Any, method: str) -> bool:
    return hasattr(critic, method) and not isinstance(critic, type)


def _report(critic: Any, problems: Sequence[str]) -> None:
    if problems:
        listing = "\n".join(f"- {problem}" for problem in problems)
        places = f"{len(problems)} place" + ("s" if len(problems) > 1 else "")
        raise CriticError(f"{critic!r} breaks the contract of a critic in {places}:\n{listing}", repr(critic))


def _all_violations(critic: Any, calls: Sequence[tuple[str, int, _Call]], deterministic: bool) -> list[str]:
    problems = [it for what, count, call in calls for it in _violations(what, critic, count, call, deterministic)]
    if problems or any(_any_scored(call()) for _, count, call in calls if count):
        return problems
    return [f"it left everything unscored in all of {len(calls)} samples"]


def _any_scored(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.scored for verdict in verdicts)


def _violations(what: str, critic: Any, count: int, call: _Call, deterministic: bool) -> list[str]:
    try:
        answers = list(call())
        again = list(call()) if deterministic else answers
    except Exception as error:
        return [f"{what}: it raised {failure_detail(error)}; a failure is an unscored verdict (Verdict.unscored)"]
    if len(answers) != count:
        return [f"{what}: {count} verdicts were asked for, {len(answers)} came back"]
    problems = [problem for answer in answers for problem in _wrong_with(answer, critic)]
    if not problems and _gist(again) != _gist(answers):
        problems = [f"the same input got {_gist(answers)} and then {_gist(again)}"]
    return [f"{what}: {problem}" for problem in dict.fromkeys(problems)]


def _gist(verdicts: Sequence[Verdict]) -> list[Any]:
    return [verdict.p if verdict.scored else verdict.failure for verdict in verdicts]


def _wrong_with(answer: Any, critic: Any) -> list[str]:
    try:
        verdict = checked_verdict(answer)
    except Exception as error:
        return [f"it answered what is no verdict: {failure_detail(error)}"]
    problems = [
        f"the verdict's {name} is {said!r}, the critic's is {own!r}"
        for name, said, own in (("critic", verdict.critic, critic.id), ("version", verdict.version, critic.version))
        if said != own
    ]
    if verdict.failure == "error":
        problems.append(f"an error left it unscored: {verdict.failure_detail}")
    if verdict.failure == "out_of_range":
        problems.append(f"what is no probability left it unscored: {verdict.failure_detail}")
    if from_json(to_json(verdict), Verdict) != verdict:
        problems.append("the verdict changes when it is stored: are its texts valid Unicode?")
    return problems
