"""Judge stored episodes again: another hindsight critic, the same steps, a run store of their own.

What was played is not touched. Nothing is played either, but for critics that simulate: they get the
run's environment. This is what the command line calls, with components by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.assembly import Assembly, make_world
from agentgym_critic.critics import HindsightCritic
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.safe import safe_review
from agentgym_critic.errors import ConfigError
from agentgym_critic.learning import trajectory_id
from agentgym_critic.loop import critic_name
from agentgym_critic.memory import MemoryBank
from agentgym_critic.sqlite import seen_from
from agentgym_critic.store import Run, RunConfig, RunStore
from agentgym_critic.types import Record, Trajectory, check_types

__all__ = ["Judged", "Judging", "judge"]


class Judging(Record, frozen=True):
    """What to judge and by whom, in names and paths."""

    store: str
    """Path of the run store with the episodes."""
    out: str
    """Path of the run store that the judged episodes go to; another than `store`."""
    hindsight: str
    hindsight_settings: dict[str, Any] = {}
    runs: tuple[str, ...] = ()
    """Ids of the runs to judge; all if there are none."""
    bank: str | None = None
    """Path of a memory bank to teach what comes out; None for none."""


class Judged(Record, frozen=True):
    """What a call to `judge` did."""

    out: str
    runs: dict[str, str]
    """Id of the new run by that of the run it was made from."""
    judged: int
    """Episodes judged by this call."""
    found: int
    """Episodes that this critic had judged before, and stayed as they were."""
    unscored: int
    """Steps of the episodes judged by this call that the critic could not judge."""


class _Episode(NamedTuple):
    number: int
    trajectory: Trajectory


def judge(
    judging: Judging, assembly: Assembly | None = None, on_episode: Callable[[Trajectory], None] | None = None
) -> Judged:
    """Give every step of stored episodes the verdict of a hindsight critic.

    Episodes are kept one by one, so what was interrupted goes on with the same call.

    Args:
        judging: what to judge.
        assembly: where the critic comes from; None for one without a language model.
        on_episode: told of every episode as it is kept.

    Raises:
        ConfigError: an unknown name, a setting that does not fit, equal stores, or nothing to judge.
        StoreError: a file cannot be used.
    """
    check_types(judging)
    if Path(judging.store).resolve() == Path(judging.out).resolve():
        raise ConfigError(f"{judging.out} is where the episodes come from; name another store for the judged ones")
    critic = (assembly or Assembly()).hindsight_critic(judging.hindsight, **judging.hindsight_settings)
    with ExitStack() as stack:
        source = stack.enter_context(RunStore(judging.store))
        chosen = [source.run(run_id) for run_id in judging.runs] or source.runs()
        if not any(source.committed(run) for run in chosen):
            raise ConfigError(f"{judging.store} holds no episodes of these runs; `agentgym-critic run` makes some")
        target = stack.enter_context(RunStore(judging.out))
        bank = stack.enter_context(MemoryBank(judging.bank)) if judging.bank else None
        session = _Session(target, critic, bank, judging.hindsight_settings, on_episode)
        made = {run.id: session.judge(run, _episodes(source, run)) for run in chosen}
        return Judged(judging.out, made, session.judged, session.found, session.unscored)


class _Session:
    """A critic at work on one run after the other."""

    def __init__(
        self,
        target: RunStore,
        critic: HindsightCritic,
        bank: MemoryBank | None,
        settings: dict[str, Any],
        on_episode: Callable[[Trajectory], None] | None,
    ) -> None:
        self._target, self._critic, self._bank, self._settings = target, critic, bank, settings
        self._on_episode = on_episode
        self.judged = self.found = self.unscored = 0

    def judge(self, run: Run, episodes: Iterator[_Episode]) -> str:
        """Judge the episodes of a run; returns the id of the run they become."""
        own = self._own_run(run)
        known = self._target.committed(own)
        with ExitStack() as stack:
            critic = self._seeing(run.config, stack)
            for episode in episodes:
                if episode.number in known:
                    self._remember(self._target.trajectory(trajectory_id(own, episode.number)))
                    self.found += 1
                else:
                    self._keep(own, episode, critic)
        return own.id

    def _keep(self, own: Run, episode: _Episode, critic: HindsightCritic) -> None:
        """The store first, as when episodes are played: what the bank lacks is made up for."""
        verdicts = safe_review(critic, episode.trajectory)
        trajectory = msgspec.structs.replace(
            episode.trajectory.with_hindsight(verdicts),
            id=trajectory_id(own, episode.number),
            hindsight_critic=critic_name(critic),
            stream_position=own.stream_start + episode.number,
        )
        self._target.save(trajectory, own, episode.number)
        self._remember(trajectory)
        self.judged += 1
        self.unscored += sum(verdict.p is None for verdict in verdicts)
        if self._on_episode:
            self._on_episode(trajectory)

    def _remember(self, trajectory: Trajectory) -> None:
        if self._bank and not self._bank.knows(trajectory.id):
            self._bank.remember(trajectory)

    def _own_run(self, run: Run) -> Run:
        """The run that this critic's judgements of a run belong to: found, or started."""
        config = msgspec.structs.replace(
            run.config,
            hindsight_critic=critic_name(self._critic),
            settings={**run.config.settings, "judged_from": run.id, "hindsight_settings": self._settings},
            bank=seen_from(self._bank.path, self._target.path) if self._bank else "",
        )
        for known in reversed(self._target.runs()):
            if known.config == config:
                return known
        start = self._bank.position if self._bank else 0
        return self._target.start_run(config, stream_start=start, versions=run.versions)

    def _seeing(self, config: RunConfig, stack: ExitStack) -> HindsightCritic:
        """The critic; one that simulates sees the run's environment."""
        if not hasattr(self._critic, "attach"):
            return self._critic
        return attached(self._critic, stack.enter_context(closing(make_world(config))).unwrapped)


def _episodes(store: RunStore, run: Run) -> Iterator[_Episode]:
    for number, trajectory in zip(sorted(store.committed(run)), store.trajectories(run), strict=True):
        yield _Episode(number, trajectory)
