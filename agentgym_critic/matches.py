"""A policy measured as plain options, alone or beside another on the same tasks and seeds; all episodes are kept.

This is what the command line calls; `agentgym_critic.evaluation` is the same for episodes that are there.
"""

from __future__ import annotations

from typing import Any

import msgspec

from agentgym_critic.assembly import Assembly, RunOptions, RunReport, check, run
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import PolicyComparison, PolicyScore, compare_policies, score_policy
from agentgym_critic.rollout import OnEpisode
from agentgym_critic.sqlite import MEMORY
from agentgym_critic.store import Failure, RunStore
from agentgym_critic.types import Record, Trajectory

__all__ = ["Measured", "PolicyReport", "measure_policy"]


class Measured(Record, frozen=True):
    """A policy and what its episodes say of it."""

    agent: str
    run: str
    """Id of the run that holds the episodes."""
    score: PolicyScore


class PolicyReport(Record, frozen=True):
    """What an evaluation came to."""

    env: str
    out: str
    first: Measured
    second: Measured | None
    comparison: PolicyComparison | None
    """The second policy against the first."""
    failures: tuple[Failure, ...]
    """Episodes that could not be played to their end; they are in no number."""


def measure_policy(
    options: RunOptions,
    versus: str | None = None,
    versus_settings: dict[str, Any] | None = None,
    *,
    level: float = 0.95,
    on_episode: OnEpisode | None = None,
    assembly: Assembly | None = None,
) -> PolicyReport:
    """Play the episodes with one policy, and with another if one is named.

    Args:
        options: the run of the first; with `resume` either run goes on where it was left.
        versus: the agent to compare with.
        versus_settings: its settings.
        level: of the intervals.
        on_episode: told of every episode as it is committed.
        assembly: where the components come from; None for one with the options' model.

    Raises:
        ConfigError: there is no file to keep the episodes in, none was played to its end, or as
            `agentgym_critic.assembly.run`.
        StoreError: the store cannot be used.
    """
    if options.out == MEMORY:
        raise ConfigError("an evaluation keeps its episodes in a store, which must be a file; name one")
    if versus_settings and not versus:
        raise ConfigError("there are settings for the policy to compare with, but no policy; name one")
    assembly = assembly or Assembly(options.model, **options.model_settings)
    every = [msgspec.structs.replace(options, resume="if any" if options.resume else False)]
    if versus:
        every.append(msgspec.structs.replace(every[0], agent=versus, agent_settings=versus_settings or {}))
    for each in every:
        check(each, assembly)  # what is wrong with either is said before anything is played
    reports = [run(each, on_episode, assembly) for each in every]
    return _report(options, reports, level)


def _report(options: RunOptions, reports: list[RunReport], level: float) -> PolicyReport:
    with RunStore(options.out) as store:
        played = [list(store.trajectories(store.run(report.run))) for report in reports]
    measured = [_measured(report, own, level) for report, own in zip(reports, played, strict=True)]
    return PolicyReport(
        env=options.env,
        out=options.out,
        first=measured[0],
        second=measured[1] if len(measured) > 1 else None,
        comparison=_compared(played, level) if len(played) > 1 else None,
        failures=tuple(failure for report in reports for failure in report.failures),
    )


def _measured(report: RunReport, played: list[Trajectory], level: float) -> Measured:
    if not played:
        first = f"; the first failed with {report.failures[0].message}" if report.failures else ""
        raise ConfigError(f"no episode of run {report.run} was played to its end{first}")
    return Measured(agent=played[0].agent, run=report.run, score=score_policy(played, level=level))


def _compared(played: list[list[Trajectory]], level: float) -> PolicyComparison:
    """By what both played to the end."""
    first, second = played
    shared = {each.group_id for each in first} & {each.group_id for each in second}
    return compare_policies(
        *([each for each in own if each.group_id in shared] for own in (first, second)), level=level
    )
