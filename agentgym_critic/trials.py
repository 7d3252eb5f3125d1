"""A trial of critics as plain options: critics by name, tried on the episodes of a run store.

This is what the command line calls; `agentgym_critic.evaluation` is the same for objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from typing import Any

import gymnasium

from agentgym_critic.assembly import Assembly, make_world
from agentgym_critic.critics import OracleCritic
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import Comparison, VerdictLog, compare_critics, true_labels
from agentgym_critic.sqlite import MEMORY
from agentgym_critic.store import Run, RunConfig, RunStore
from agentgym_critic.types import Record, Trajectory, check_types

__all__ = ["CriticTrial", "try_critics"]


class CriticTrial(Record, frozen=True):
    """Which critics to try on which episodes, in names, numbers and paths."""

    store: str
    """Path of the run store."""
    critics: dict[str, tuple[str, dict[str, Any]]]
    """Name and settings of each, by the name it is reported under."""
    runs: tuple[str, ...] = ()
    """Ids of the runs whose episodes make up the stream, in order; all if there are none."""
    limit: int | None = None
    """Only so many episodes, from the first."""
    orders: int = 3
    """How many orders of the stream."""
    resamples: int = 1_000
    """Of the intervals."""
    log: str | None = None
    """Path of the verdict log; None for the one beside the store."""


def try_critics(trial: CriticTrial, assembly: Assembly | None = None) -> Comparison:
    """Let the critics judge the stored steps, and compare with the environments' oracles.

    Args:
        trial: what to try.
        assembly: where critics come from; None for one without a language model.

    Raises:
        ConfigError: an unknown name, a setting that does not fit, or nothing to try critics on.
        EnvError: an episode cannot be played again, which its truth needs.
        StoreError: a file cannot be used.
    """
    check_types(trial)
    assembly = assembly or Assembly()
    critics = {label: assembly.critic(name, **settings) for label, (name, settings) in trial.critics.items()}
    for label, critic in critics.items():
        if isinstance(critic, OracleCritic):
            raise ConfigError(f"{label!r} is the truth that critics are measured by, and cannot be one of them")
    with ExitStack() as stack:
        store = stack.enter_context(RunStore(trial.store))
        log = stack.enter_context(VerdictLog(trial.log or _log_beside(trial.store)))
        chosen = [store.run(run_id) for run_id in trial.runs] or store.runs()
        stream = list(islice(_episodes(store, chosen), trial.limit))
        if not stream:
            raise ConfigError(f"{trial.store} holds no episodes of these runs; `agentgym-critic run` makes some")
        worlds = _Worlds(stack, {trajectory.id: run.config for run, trajectory in stream})
        labels = _labels([trajectory for _, trajectory in stream], worlds, log)
        limits = {run.config.env_settings.get("max_steps") for run, _ in stream}
        return compare_critics(
            [trajectory for _, trajectory in stream],
            labels,
            critics,
            log,
            orders=trial.orders,
            max_steps=limits.pop() if len(limits) == 1 else None,
            resamples=trial.resamples,
            world_of=worlds.of,
        )


def _episodes(store: RunStore, runs: Sequence[Run]) -> Iterator[tuple[Run, Trajectory]]:
    for run in runs:
        for trajectory in store.trajectories(run):
            yield run, trajectory


class _Worlds:
    """The environments of runs, made when they are first asked for.

    Args:
        stack: closes them.
        configs: of the run of each trajectory, by its id.
    """

    def __init__(self, stack: ExitStack, configs: Mapping[str, RunConfig]) -> None:
        self._stack, self._configs = stack, configs
        self._made: dict[str, gymnasium.Env[str, str]] = {}

    def of(self, trajectory: Trajectory) -> gymnasium.Env[str, str]:
        """The one that a trajectory was made in."""
        config = self._configs[trajectory.id]
        key = repr((config.env_module, config.env_id, sorted(config.env_settings.items())))
        if key not in self._made:
            self._made[key] = self._stack.enter_context(closing(make_world(config)))
        return self._made[key]


def _labels(stream: Sequence[Trajectory], worlds: _Worlds, log: VerdictLog) -> dict[str, list[bool | None]]:
    """The truth about the steps of every trajectory, by its id; looked for once."""
    known: dict[str, list[bool | None]] = {}
    for trajectory in stream:
        labels = log.labels(trajectory.id)
        if labels is None:
            labels = true_labels(worlds.of(trajectory), trajectory)
            log.save_labels(trajectory.id, labels)
        known[trajectory.id] = labels
    return known


def _log_beside(store: str) -> str:
    return MEMORY if store == MEMORY else f"{store.removesuffix('.db')}.verdicts.db"
