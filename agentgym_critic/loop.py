"""The story of an episode: propose, recall, judge, intervene, act; then review it in hindsight.

The loop knows agents, critics and the memory bank by what they can do, environments as Gymnasium's,
and no store. How an action is chosen is told in `agentgym_critic.decide`, what it does in
`agentgym_critic.trail`; running and keeping many episodes is `agentgym_critic.rollout`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import gymnasium

from agentgym_critic.agents.base import Agent
from agentgym_critic.critics.adapt import CriticLike, HindsightCriticLike, as_critic, as_hindsight_critic
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import HindsightCritic, PreCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.critics.safe import safe_review
from agentgym_critic.decide import Decider, Ending
from agentgym_critic.envs.base import TextEnv
from agentgym_critic.errors import AgentError, ConfigError, boundary
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.trail import Trail
from agentgym_critic.types import Intervention, Step, Trajectory

__all__ = ["Place", "critic_name", "env_name", "require_players", "run_episode"]


class Place(NamedTuple):
    """Where an episode stands among others."""

    trajectory_id: str = "episode"
    agent_seed: int | None = None
    """Seed of the agent's randomness; None for the episode's."""
    stream_position: int = 0
    recall_before: int | None = None
    """Experiences of this and later stream positions cannot be recalled; None for all can."""


def run_episode(
    env: gymnasium.Env[str, str],
    agent: Agent,
    *,
    seed: int = 0,
    critic: CriticLike | None = None,
    gate: Gate | None = None,
    hindsight: HindsightCriticLike | None = None,
    bank: MemoryBank | None = None,
    place: Place = Place(),  # noqa: B008 - immutable
    on_step: Callable[[Step], None] | None = None,
) -> Trajectory:
    """Play one episode and have every step judged, before it runs and after the episode.

    The bank is read, never written: `bank.remember(trajectory)` is the caller's, once the
    trajectory is safe.

    Args:
        env: a `TextEnv`, or any Gymnasium environment of strings.
        agent: proposes the actions.
        seed: of the environment's episode, and of the agent unless `place` names another.
        critic: judges every proposal before it runs: a critic, or what `as_critic` makes one of.
        gate: turns the critic's verdicts into interventions; None lets everything proceed.
        hindsight: judges every step once the episode is over; likewise.
        bank: what the critic may recall.
        place: where the episode stands among others.
        on_step: called after every step, before it can be undone; what it raises ends the episode.

    Raises:
        ConfigError: something given is not what it should be, a gate has no critic, or it undoes steps
            and the environment cannot.
        EnvError: the environment failed.
        AgentError: the agent failed; LMError if its language model did. Critics that fail
            leave unscored verdicts instead.
    """
    started = time.perf_counter()
    require_players(env, agent, critic, gate)
    critic = as_critic(critic) if critic is not None else None
    hindsight = as_hindsight_critic(hindsight) if hindsight is not None else None
    agent, judge = attached(agent, env.unwrapped), attached(critic, env.unwrapped)
    reviewer = attached(hindsight, env.unwrapped)
    gate = gate or Gate()
    trail = Trail(env, seed, undoable=gate.mode == "rollback")
    decider = Decider(agent, judge, gate, bank, place.recall_before, trail.undo)
    with boundary(f"agent {agent.id}", AgentError):
        agent.reset(seed if place.agent_seed is None else place.agent_seed)
    interventions: tuple[Intervention, ...] = ()
    while not (end := trail.end):
        decision = decider.decide(trail.turn())
        if isinstance(decision, Ending):
            end, interventions = decision
            break
        step = trail.act(decision)
        if on_step:
            on_step(step)
    trajectory = Trajectory(
        id=place.trajectory_id,
        env_id=env_name(env),
        env_version=str(getattr(env.unwrapped, "env_version", "")),
        task_id=trail.task_id,
        task=trail.task,
        seed=seed,
        group_id=f"{trail.task_id}#{seed}",
        agent=agent.id,
        critic=critic_name(critic),
        hindsight_critic=critic_name(hindsight),
        steps=tuple(trail.steps),
        interventions=interventions,
        end=end,
        stream_position=place.stream_position,
        seconds=time.perf_counter() - started,
    )
    return trajectory.with_hindsight(safe_review(reviewer, trajectory)) if reviewer else trajectory


def require_players(env: object, agent: object, critic: object, gate: Gate | None) -> None:
    """Refuse what can only be a mistake, before anything runs.

    Raises:
        ConfigError: names what was given and what was expected.
    """
    if not isinstance(env, gymnasium.Env):
        raise ConfigError(f"{env!r} is no environment; make one with make_env(id) or gymnasium.make(id)")
    if isinstance(agent, type) or not callable(getattr(agent, "propose", None)):
        raise ConfigError(f"{agent!r} is no agent with a method propose(turn); make one, for example RandomAgent()")
    if not callable(getattr(agent, "reset", None)):
        raise ConfigError(f"the agent {agent!r} has no method reset(seed); see docs/agents.md")
    with boundary(f"agent {type(agent).__name__}", AgentError):
        name = getattr(agent, "id", None)
    if not isinstance(name, str) or not name:
        raise ConfigError(f"the agent {type(agent).__name__} has the id {name!r}; an id is a non-empty text")
    if gate is not None and gate.mode != "off" and critic is None:
        raise ConfigError(f"the gate {gate.mode!r} acts on a critic's verdicts; name a critic, or leave out the gate")
    if gate is not None and gate.mode == "rollback" and not isinstance(env.unwrapped, TextEnv):
        raise ConfigError(
            f"the gate 'rollback' takes steps back, which needs a TextEnv that can be restored; {env} is none; "
            "choose another mode"
        )


def env_name(env: gymnasium.Env[str, str]) -> str:
    """The environment's id, or its class where it is not registered."""
    return env.spec.id if env.spec else type(env.unwrapped).__name__


def critic_name(critic: PreCritic | HindsightCritic | None) -> str:
    """A critic as trajectories and runs name it; empty for none."""
    return f"{critic.id}@{critic.version}" if critic else ""
