"""`collect`: many episodes, several at once, kept in a store, resumable.

What is recalled, and what a critic has learnt, does not depend on timing: with `parallel` workers,
episode `i` knows of the episodes up to `i - parallel`, and starts only when all of these are done.
"""

from __future__ import annotations

import contextlib
import logging
import operator
import platform
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, NamedTuple

import gymnasium
import msgspec
import numpy as np

from agentgym_critic.agents.base import Agent
from agentgym_critic.critics.adapt import CriticLike, HindsightCriticLike, as_critic, as_hindsight_critic
from agentgym_critic.critics.base import HindsightCritic, LearnsFromHindsight, PreCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.errors import AgentError, ComponentError, ConfigError, EnvError, StoreError, boundary
from agentgym_critic.learning import Course, trajectory_id
from agentgym_critic.loop import Place, critic_name, env_name, require_players, run_episode
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.sqlite import MEMORY, seen_from
from agentgym_critic.store import Failure, Run, RunConfig, RunStore
from agentgym_critic.types import LARGEST, Record, Step, Trajectory, from_json, to_json
from agentgym_critic.workers import Schedule, run_workers

__all__ = ["Collected", "OnEpisode", "Resume", "collect"]

Env = gymnasium.Env[str, str]

Resume = bool | Literal["if any"]
"""Whether to continue a run; `"if any"` where there may be none yet."""

OnEpisode = Callable[[Trajectory | Failure], None]
"""Called, from any worker, once an episode or its failure is committed."""

_log = logging.getLogger(__name__)

_VERSIONED = ("agentgym-critic", "gymnasium", "numpy", "textworld", "alfworld", "torch", "transformers")


_MESSAGE_CHARS, _TRACEBACK_CHARS = 2_000, 20_000
"""What is kept of an exception's text: the beginning of its message, the end of its traceback."""


class Collected(Record, frozen=True):
    """What a call to `collect` did."""

    run: Run
    played: int
    """Episodes this call committed."""
    found: int
    """Episodes that had been committed before, and stayed as they were."""
    failures: tuple[Failure, ...] = ()
    """Episodes that could not be played to their end; resuming tries them again."""


def collect(
    make_env: Callable[[], Env],
    make_agent: Callable[[], Agent],
    store: RunStore,
    *,
    episodes: int,
    seed: int = 0,
    critic: CriticLike | None = None,
    gate: Gate | None = None,
    hindsight: HindsightCriticLike | None = None,
    bank: MemoryBank | None = None,
    group_size: int = 1,
    parallel: int = 1,
    settings: dict[str, Any] | None = None,
    resume: Resume = False,
    on_episode: OnEpisode | None = None,
) -> Collected:
    """Play episodes and keep each, once it is over, in one transaction.

    Episode `i` plays the environment's seed ``seed + i // group_size``: the trajectories of a
    group share the task and differ in the agent's randomness. Interrupting or killing the
    process loses at most the episodes in flight.

    Args:
        make_env: builds an environment; called in every worker.
        make_agent: builds an agent; called in every worker.
        store: where the run is kept.
        episodes: how many the run has in the end, those found included.
        seed: of the first group.
        critic: judges every proposal, shared by the workers: a critic, or what `as_critic` makes one of.
        gate: turns verdicts into interventions.
        hindsight: judges every step afterwards, shared by the workers; likewise.
        bank: recalled from, and filled with every finished episode.
        group_size: trajectories per environment seed.
        parallel: episodes played at once, each in a thread.
        settings: what else is recorded with the run and must be the same to resume it.
        resume: continue the latest run of the same configuration; `"if any"` starts one if there is none.
        on_episode: told of every episode as it is committed.

    Raises:
        ConfigError: something given is not what it should be, a number is out of range, or no run
            of this configuration is there to resume.
        StoreError: the store or the bank cannot be written.
    """
    episodes, group_size, parallel = (
        _whole(name, number, least=1)
        for name, number in (("episodes", episodes), ("group_size", group_size), ("parallel", parallel))
    )
    seed = _whole("seed", seed, least=0)
    _require("gate", gate, Gate, "Gate(mode=...)")
    _require("bank", bank, MemoryBank, "MemoryBank(path)")
    cast = _Cast(
        make_env=make_env,
        make_agent=make_agent,
        critic=as_critic(critic) if critic is not None else None,
        gate=gate,
        hindsight=as_hindsight_critic(hindsight) if hindsight is not None else None,
        bank=bank,
    )
    config = msgspec.structs.replace(
        _config(cast, store), seed=seed, group_size=group_size, parallel=parallel, settings=_plain(settings)
    )
    run = (_resumable(store, config, resume) if resume else None) or _start(store, config, bank)
    found = store.committed(run)
    if bank:
        _catch_up(bank, store, run)
    course = _course(cast.critic, store, run)
    in_turn = bank is not None or course is not None
    schedule = Schedule(sorted(set(range(episodes)) - found), window=parallel if in_turn else None)
    collection = _Collection(cast, store, run, schedule, course, on_episode, first=None if found else 0)
    run_workers(collection.work, schedule, min(parallel, max(1, episodes - len(found))))
    if store.path != MEMORY and not Path(store.path).exists():
        raise StoreError(f"{store.path} was deleted while the run wrote to it; what it held is lost")
    return Collected(run=run, played=collection.played, found=len(found), failures=tuple(collection.failures))


class _Cast(NamedTuple):
    """Who plays."""

    make_env: Callable[[], Env]
    make_agent: Callable[[], Agent]
    critic: PreCritic | None
    gate: Gate | None
    hindsight: HindsightCritic | None
    bank: MemoryBank | None


class _Stopped(Exception):  # noqa: N818 - not an error
    """Another worker failed or the user interrupted: leave the episode."""


class _Stage:
    """A worker's environment and agent, built when they are needed."""

    def __init__(self, cast: _Cast) -> None:
        self._cast = cast
        self._players: tuple[Env, Agent] | None = None

    def players(self) -> tuple[Env, Agent]:
        if self._players is None:
            with boundary("the environment's factory", EnvError):
                env = self._cast.make_env()
            with boundary("the agent's factory", AgentError):
                self._players = env, self._cast.make_agent()
        return self._players

    def clear(self) -> None:
        """Close the environment; what that raises costs no episode."""
        players, self._players = self._players, None
        try:
            if players:
                players[0].close()
        except Exception as error:
            _log.warning("closing %r failed", players, exc_info=error)


@dataclass
class _Collection:
    cast: _Cast
    store: RunStore
    run: Run
    schedule: Schedule
    course: Course | None
    """What the critic learns, if it is one that does."""
    on_episode: OnEpisode | None
    first: int | None
    """Number of the first episode of a new run; None when a run is resumed."""
    played: int = 0
    failures: list[Failure] = field(default_factory=list)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def work(self) -> None:
        """One worker: plays episodes with an environment and an agent of its own."""
        stage = _Stage(self.cast)
        try:
            while (episode := self.schedule.take()) is not None:
                self._attempt(stage, episode)
        except _Stopped:
            pass
        finally:
            stage.clear()

    def _attempt(self, stage: _Stage, episode: int) -> None:
        """Play and keep an episode; after a failure the next one gets a new environment and agent."""
        try:
            trajectory = self._play(*stage.players(), episode)
        except (StoreError, _Stopped):
            raise
        except Exception as error:
            if isinstance(error, ConfigError) and episode == self.first:
                raise  # what is wrong with a run's first episode is wrong with them all
            stage.clear()
            self._fail(episode, error)
        else:
            self._keep(trajectory, episode)
        finally:
            self.schedule.done(episode)

    def _play(self, env: Env, agent: Agent, episode: int) -> Trajectory:
        config, start = self.run.config, self.run.stream_start
        known = max(0, episode - config.parallel + 1)
        return run_episode(
            env,
            agent,
            seed=self._seed(episode),
            critic=self.course.before(known) if self.course else self.cast.critic,
            gate=self.cast.gate,
            hindsight=self.cast.hindsight,
            bank=self.cast.bank,
            place=Place(
                trajectory_id=trajectory_id(self.run, episode),
                agent_seed=int(np.random.SeedSequence((config.seed, episode)).generate_state(1)[0]),
                stream_position=start + episode,
                recall_before=start + known,
            ),
            on_step=self._on_step,
        )

    def _on_step(self, _: Step) -> None:
        if self.schedule.stopped:
            raise _Stopped

    def _keep(self, trajectory: Trajectory, episode: int) -> None:
        """The store first: what the bank lacks is made up for when the run is resumed."""
        if not self.store.save(trajectory, self.run, episode):
            return  # another process that resumes the same run was faster, and remembers its own
        if self.cast.bank:
            self.cast.bank.remember(trajectory)
        with self._counting:
            self.played += 1
        if self.on_episode:
            self.on_episode(trajectory)

    def _fail(self, episode: int, error: Exception) -> None:
        failure = Failure(
            episode=episode,
            seed=self._seed(episode),
            component=error.component if isinstance(error, ComponentError) else "agentgym_critic",
            error=type(error).__name__,
            message=str(error)[:_MESSAGE_CHARS],
            traceback="".join(traceback.format_exception(error))[-_TRACEBACK_CHARS:],
        )
        self.store.record_failure(failure, self.run)
        self.failures.append(failure)
        if self.on_episode:
            self.on_episode(failure)

    def _seed(self, episode: int) -> int:
        return self.run.config.seed + episode // self.run.config.group_size


def _whole(name: str, number: Any, *, least: int) -> int:
    """The number as an int (NumPy's are none), within what a store can hold."""
    try:
        whole = operator.index(number)
    except TypeError as cause:
        raise ConfigError(f"{name} is a whole number, got {number!r}") from cause
    if not least <= whole <= LARGEST:
        raise ConfigError(f"{name} is at least {least} and at most 2**53, got {whole}")
    return whole


def _require(name: str, given: object, kind: type, made_by: str) -> None:
    if given is not None and not isinstance(given, kind):
        raise ConfigError(f"{name} is a {kind.__name__}, got {given!r}; make one with {made_by}")


def _config(cast: _Cast, store: RunStore) -> RunConfig:
    if not isinstance(store, RunStore):
        raise ConfigError(f"the store is a RunStore, got {store!r}; open one with RunStore(path)")
    for name, factory in (("make_env", cast.make_env), ("make_agent", cast.make_agent)):
        if not callable(factory):
            raise ConfigError(f"{name} is called in every worker to build one of its own, got {factory!r}")
    stage = _Stage(cast)
    try:
        env, agent = stage.players()
        require_players(env, agent, cast.critic, cast.gate)
        return RunConfig(
            env_id=env_name(env),
            env_module=_module(env),
            env_settings=_plain(env.spec.kwargs if env.spec else {}),
            env_version=str(getattr(env.unwrapped, "env_version", "")),
            agent=agent.id,
            critic=critic_name(cast.critic),
            hindsight_critic=critic_name(cast.hindsight),
            gate={name: value for name, value in _plain(cast.gate).items() if value is not None},
            bank=seen_from(cast.bank.path, store.path) if cast.bank else "",
        )
    finally:
        stage.clear()


def _module(env: Env) -> str:
    """The module that an environment comes from, which registers it or lies below what does."""
    entry = env.spec.entry_point if env.spec else None
    module = entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")
    return "" if module.partition(".")[0] in ("", "__main__", "agentgym_critic", "gymnasium") else module


def _plain(settings: Any) -> dict[str, Any]:
    """Settings as JSON keeps them; what it cannot keep, by its id or as text."""

    def named(setting: Any) -> str:
        return str(getattr(setting, "id", setting))

    return from_json(to_json(msgspec.to_builtins(settings or {}, enc_hook=named)), dict[str, Any])


def _start(store: RunStore, config: RunConfig, bank: MemoryBank | None) -> Run:
    return store.start_run(config, stream_start=bank.position if bank else 0, versions=_versions())


def _resumable(store: RunStore, config: RunConfig, resume: Resume) -> Run | None:
    runs = store.runs()
    for run in reversed(runs):
        if msgspec.structs.replace(run.config, env_module=config.env_module) == config:
            return run
    if resume == "if any":
        return None
    if not runs:
        raise ConfigError(f"{store.path} holds no run to resume; leave out --resume (resume=False) to start one")
    latest, asked = msgspec.structs.asdict(runs[-1].config), msgspec.structs.asdict(config)
    changed = [f"{name} was {latest[name]!r}, is now {asked[name]!r}" for name in asked if latest[name] != asked[name]]
    raise ConfigError(
        f"no run in {store.path} has this configuration, so none can be resumed; the latest differs: "
        + "; ".join(changed)
    )


def _course(critic: PreCritic | None, store: RunStore, run: Run) -> Course | None:
    return Course(critic, store, run, kept=run.config.parallel + 1) if isinstance(critic, LearnsFromHindsight) else None


def _catch_up(bank: MemoryBank, store: RunStore, run: Run) -> None:
    """Remember what was committed but, for a killed process, not remembered."""
    for trajectory in store.trajectories(run):
        if not bank.knows(trajectory.id):
            bank.remember(trajectory)


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _VERSIONED:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions
