"""A pilot as plain options: the same episodes without and with a gate, played, kept and compared.

This is what the command line calls; `agentgym_critic.evaluation` is the same for episodes that are there.
"""

from __future__ import annotations

import msgspec

from agentgym_critic import assembly as assemblies
from agentgym_critic.assembly import Assembly, RunOptions, RunReport
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import Pilot, Summary, assess_pilot, matched_pairs
from agentgym_critic.rollout import OnEpisode
from agentgym_critic.sqlite import MEMORY
from agentgym_critic.store import Failure, RunStore
from agentgym_critic.types import Record

__all__ = ["PilotReport", "run_pilot"]


class PilotReport(Record, frozen=True):
    """What a pilot came to."""

    env: str
    out: str
    without: str
    """Id of the run without the gate."""
    gated: str
    """Id of the run with it."""
    played: int
    found: int
    """Episodes of both runs that had been committed before."""
    failures: tuple[Failure, ...]
    """Episodes of either run that could not be played to their end; they are in no pair."""
    summaries: dict[str, Summary]
    """Of both runs, by their ids."""
    pilot: Pilot


def run_pilot(
    options: RunOptions,
    *,
    level: float = 0.95,
    power: float = 0.8,
    resamples: int = 1_000,
    on_episode: OnEpisode | None = None,
    assembly: Assembly | None = None,
) -> PilotReport:
    """Play the episodes without the gate and with it, and compare.

    Both runs have the same seeds. Without the gate nobody judges. With `options.resume`, either run goes
    on where it was left, and begins if it had not.

    Args:
        options: the run with the gate; `episodes` is the number of pairs.
        level: of the intervals.
        power: see `assess_pilot`.
        resamples: of the intervals.
        on_episode: told of every episode as it is committed.
        assembly: where the components come from; None for one with the options' model.

    Raises:
        ConfigError: there is no gate, no file to keep the episodes in, no pair was played to its end, or as
            `agentgym_critic.assembly.run`.
        StoreError: the store or the bank cannot be used.
    """
    if options.gate == "off":
        raise ConfigError("a pilot compares episodes without and with a gate, and the gate is off; name its mode")
    if options.out == MEMORY:
        raise ConfigError("a pilot keeps two runs in one store, which must be a file; name one")
    assembly = assembly or Assembly(options.model, **options.model_settings)
    assemblies.check(options, assembly)  # what is wrong with the gate is said before anything is played
    options = msgspec.structs.replace(options, resume="if any" if options.resume else False)
    reports = [assemblies.run(each, on_episode, assembly) for each in (_without(options), options)]
    return PilotReport(
        env=options.env,
        out=options.out,
        without=reports[0].run,
        gated=reports[1].run,
        played=sum(report.played for report in reports),
        found=sum(report.found for report in reports),
        failures=tuple(failure for report in reports for failure in report.failures),
        summaries={report.run: report.summary for report in reports},
        pilot=_assessed(options, reports, level, power, resamples),
    )


def _without(options: RunOptions) -> RunOptions:
    return msgspec.structs.replace(
        options,
        critic=None,
        critic_settings={},
        gate="off",
        gate_settings={},
        hindsight=None,
        hindsight_settings={},
        bank=None,
    )


def _assessed(options: RunOptions, reports: list[RunReport], level: float, power: float, resamples: int) -> Pilot:
    with RunStore(options.out) as store:
        without, gated = (store.run(report.run) for report in reports)
        pairs = matched_pairs(store, without, gated)
    if not pairs:
        raise ConfigError(
            f"no pair of episodes was played to its end; `agentgym-critic show {options.out}` tells what failed"
        )
    return assess_pilot(pairs, level=level, power=power, resamples=resamples)
