"""A run as plain options: components by name, put together on one shared model, and played.

This is what the command line calls; `agentgym_critic.rollout` is the same for objects.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import gymnasium

from agentgym_critic import registry
from agentgym_critic.agents.base import Agent
from agentgym_critic.critics import Gate, HindsightCritic, PreCritic, as_critic, as_hindsight_critic
from agentgym_critic.critics.gate import GateMode
from agentgym_critic.envs import make_env
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import Summary, summarize
from agentgym_critic.lm import LanguageModel, load_lm
from agentgym_critic.loop import require_players
from agentgym_critic.memory import MemoryBank
from agentgym_critic.rollout import OnEpisode, Resume, collect
from agentgym_critic.sqlite import MEMORY
from agentgym_critic.store import Failure, RunConfig, RunStore
from agentgym_critic.types import Record, check_types

__all__ = ["Assembly", "RunOptions", "RunReport", "check", "make_world", "run"]


class RunOptions(Record, frozen=True):
    """What to run, in names, numbers and paths."""

    env: str
    """Environment id."""
    out: str
    """Path of the run store."""
    env_settings: dict[str, Any] = {}
    agent: str = "random"
    agent_settings: dict[str, Any] = {}
    model: str | None = None
    """What `load_lm` takes; needed by agents and critics that ask a language model."""
    model_settings: dict[str, Any] = {}
    critic: str | None = None
    critic_settings: dict[str, Any] = {}
    gate: GateMode = "off"
    gate_settings: dict[str, Any] = {}
    hindsight: str | None = None
    hindsight_settings: dict[str, Any] = {}
    bank: str | None = None
    """Path of the memory bank; None for the one beside the store, if anything fills or reads it."""
    episodes: int = 1
    seed: int = 0
    group_size: int = 1
    parallel: int = 1
    resume: Resume = False

    def __post_init__(self) -> None:
        """Refuse combinations in which something asked for would silently do nothing.

        Raises:
            ConfigError: names both sides of the conflict.
        """
        check_types(self)
        if self.gate != "off" and not self.critic:
            raise ConfigError(f"the gate {self.gate!r} acts on a critic's verdicts; name a critic, or gate 'off'")
        for part in ("critic", "hindsight", "model"):
            if getattr(self, f"{part}_settings") and not getattr(self, part):
                raise ConfigError(f"there are settings for the {part}, but no {part}; name one")
        if self.gate == "off" and self.gate_settings:
            raise ConfigError("there are settings for the gate, but it is off; choose another mode, for example 'warn'")


class RunReport(Record, frozen=True):
    """What a run came to."""

    run: str
    """Its id."""
    env: str
    out: str
    bank: str | None
    bank_found: int
    """Experiences the bank held before this call."""
    model: str | None
    """Id of the language model, with its number format; None if none was loaded."""
    played: int
    found: int
    """Episodes that had been committed before."""
    failures: tuple[Failure, ...]
    summary: Summary


class Assembly:
    """Builds components by name; those that take a language model all get the same one.

    Args:
        model: what `load_lm` takes, or None; loaded when the first component needs it.
        model_settings: further arguments of `load_lm`.
    """

    def __init__(self, model: str | None = None, **model_settings: Any) -> None:
        self._model, self._model_settings = model, model_settings

    @cached_property
    def lm(self) -> LanguageModel:
        """The shared model, loaded on first use.

        Raises:
            ConfigError: no model was named.
        """
        if self._model is None:
            raise ConfigError("this agent or critic asks a language model; name one, for example --model smollm2")
        return load_lm(self._model, **self._model_settings)

    @property
    def lm_id(self) -> str | None:
        """Id of the model, if one was loaded."""
        return self.lm.id if "lm" in vars(self) else None

    def agent(self, name: str, **settings: Any) -> Callable[[], Agent]:
        """A factory of agents."""
        return partial(registry.make, "agent", name, **self._with_lm("agent", name, settings))

    def critic(self, name: str, **settings: Any) -> PreCritic:
        """A pre-operative critic."""
        return as_critic(name, **self._with_lm("critic", name, settings))

    def hindsight_critic(self, name: str, **settings: Any) -> HindsightCritic:
        """A hindsight critic."""
        return as_hindsight_critic(name, **self._with_lm("hindsight", name, settings))

    def _with_lm(self, kind: registry.Kind, name: str, settings: dict[str, Any]) -> dict[str, Any]:
        target = registry.resolve(kind, name)
        takes_lm = callable(target) and "lm" in inspect.signature(target).parameters
        return {"lm": self.lm, **settings} if takes_lm and "lm" not in settings else settings


def run(options: RunOptions, on_episode: OnEpisode | None = None, assembly: Assembly | None = None) -> RunReport:
    """Play what the options say.

    Args:
        options: what to run.
        on_episode: told of every episode as it is committed.
        assembly: where the components come from, to share a loaded model between runs; None
            for one with the options' model.

    Raises:
        ConfigError: unknown names, settings that do not fit, missing data or packages.
        StoreError: the store or the bank cannot be used.
    """
    assembly = assembly or Assembly(options.model, **options.model_settings)
    cast = _cast(options, assembly)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(RunStore(options.out))
        bank_path = _bank_path(options, cast.critic)
        bank = stack.enter_context(MemoryBank(bank_path)) if bank_path else None
        bank_found = bank.stats().experiences if bank else 0
        collected = collect(
            cast.make_world,
            cast.make_agent,
            store,
            episodes=options.episodes,
            seed=options.seed,
            critic=cast.critic,
            gate=cast.gate,
            hindsight=cast.hindsight,
            bank=bank,
            group_size=options.group_size,
            parallel=options.parallel,
            settings=_component_settings(options),
            resume=options.resume,
            on_episode=on_episode,
        )
        return RunReport(
            run=collected.run.id,
            env=options.env,
            out=options.out,
            bank=bank_path,
            bank_found=bank_found,
            model=assembly.lm_id,
            played=collected.played,
            found=collected.found,
            failures=collected.failures,
            summary=summarize(store.trajectories(collected.run)),
        )


def check(options: RunOptions, assembly: Assembly) -> None:
    """Say what is wrong with the options, if anything is, and play nothing.

    Raises:
        ConfigError: as `run`.
    """
    _cast(options, assembly)


def make_world(config: RunConfig) -> gymnasium.Env[str, str]:
    """The environment of a run, as it was set.

    Raises:
        ConfigError: it is not known here any more, or refuses its settings.
        EnvError: its constructor raised.
    """
    env_id = f"{config.env_module}:{config.env_id}" if config.env_module else config.env_id
    return make_env(env_id, **config.env_settings)


class _Cast(NamedTuple):
    """Who plays where."""

    make_world: Callable[[], gymnasium.Env[str, str]]
    make_agent: Callable[[], Agent]
    critic: PreCritic | None
    gate: Gate | None
    hindsight: HindsightCritic | None


def _cast(options: RunOptions, assembly: Assembly) -> _Cast:
    """All components; what is wrong with any of them is said before a file is made."""
    make_world = partial(make_env, options.env, **options.env_settings)
    world = make_world()  # what is wrong with it is said before a model is loaded
    with contextlib.suppress(Exception):
        world.close()
    make_agent = assembly.agent(options.agent, **options.agent_settings)
    agent, critic, hindsight = make_agent(), None, None
    if options.critic:
        critic = assembly.critic(options.critic, **options.critic_settings)
    if options.hindsight:
        hindsight = assembly.hindsight_critic(options.hindsight, **options.hindsight_settings)
    gate = _gate(options)
    require_players(world, agent, critic, gate)
    _refuse_unused(options, critic, assembly)
    return _Cast(make_world, make_agent, critic, gate, hindsight)


def _refuse_unused(options: RunOptions, critic: PreCritic | None, assembly: Assembly) -> None:
    if options.model and assembly.lm_id is None:
        raise ConfigError(f"nothing here asks a language model, so {options.model!r} would be ignored; leave it out")
    if options.bank and not options.hindsight and not (critic and critic.recall_k):
        raise ConfigError(
            f"nothing reads or fills the bank {options.bank}; name a hindsight critic, or a critic that recalls"
        )


def _gate(options: RunOptions) -> Gate | None:
    known = set(Gate.__struct_fields__) - {"mode", "policy"}
    if unknown := set(options.gate_settings) - known:
        raise ConfigError(f"the gate has no setting {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}")
    return Gate(mode=options.gate, **options.gate_settings) if options.gate != "off" else None


def _component_settings(options: RunOptions) -> dict[str, Any]:
    """What the components were given; a component's id and version need not tell."""
    named = ("agent_settings", "model_settings", "critic_settings", "hindsight_settings")
    given = {"model": options.model, **{name: getattr(options, name) for name in named}}
    return {name: value for name, value in given.items() if value}


def _bank_path(options: RunOptions, critic: PreCritic | None) -> str | None:
    if options.bank or not (options.hindsight or (critic and critic.recall_k)):
        return options.bank
    return MEMORY if options.out == MEMORY else f"{options.out.removesuffix('.db')}.bank.db"
