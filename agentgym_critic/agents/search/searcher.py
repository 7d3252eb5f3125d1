"""`Searcher`: what best-of-n, beam and tree search share. How a search chooses is theirs."""

from __future__ import annotations

import copy
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from agentgym_critic import registry
from agentgym_critic.agents.base import Agent
from agentgym_critic.agents.search.budget import Budget, BudgetSpentError, Meter
from agentgym_critic.agents.search.scout import Scout
from agentgym_critic.agents.search.simulator import Simulator
from agentgym_critic.agents.search.tree import Edge, Node
from agentgym_critic.critics.adapt import CriticLike, as_critic
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.simulation import seen_now, taken_back
from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Cost, Turn

__all__ = ["Plan", "Searcher"]

Plan = Sequence[tuple[str, str]]
"""A way to success that was seen: for each step the `state_key` before it, and the action."""


class Searcher(ABC):
    """Tries actions in the attached environment, led by a critic, and acts by what it found.

    The environment is left exactly as it was. What a turn spent is the cost of its action: `Cost.env_steps` and
    tokens. Where nothing is left to spend, the policy's own first proposal is played. A way to success that was seen
    is followed without further search, as long as the episode keeps to it.

    Args:
        critic: judges the actions: a critic, or what `as_critic` makes one of.
        policy: proposes them: an agent, or the name of one.
        critic_settings: of a critic given by name.
        policy_settings: of a policy given by name.
        bank: what the critic may recall.
        candidates: actions at a moment, at most.
        env_steps: in the simulator, in an episode; None for no limit.
        tokens: of policy and critic, in an episode; None for no limit.
        share: of what is left that a turn may spend.
        enough: an action of the turn to which the critic gives at least this p is played without further
            search; None always searches.
        least: actions to which the critic gives less are not followed, unless all get less.

    Raises:
        ConfigError: a setting is out of range, or critic or policy cannot be made.
    """

    name: ClassVar[str]

    def __init__(
        self,
        critic: CriticLike,
        policy: Agent | str = "random",
        *,
        critic_settings: Mapping[str, Any] | None = None,
        policy_settings: Mapping[str, Any] | None = None,
        bank: MemoryBank | None = None,
        candidates: int = 4,
        env_steps: int | None = 1_000,
        tokens: int | None = None,
        share: float = 0.25,
        enough: float | None = None,
        least: float = 0.0,
    ) -> None:
        if candidates < 1 or not 0 <= least <= 1 or not (enough is None or 0 <= enough <= 1):
            raise ConfigError(
                f"candidates is at least 1, and enough and least in [0, 1]; got {candidates}, {enough} and {least}"
            )
        self._critic, self._bank = as_critic(critic, **(critic_settings or {})), bank
        self._policy = _made(policy, policy_settings)
        self._budget = Budget(env_steps=env_steps, tokens=tokens, share=share)
        self._candidates, self._enough, self._least = candidates, enough, least
        self._env: Any = None
        self.reset(0)

    @property
    def id(self) -> str:
        """The name, critic and policy, and a fingerprint of the settings."""
        settings = fingerprint(self._budget, self._candidates, self._enough, self._least, self._settings())
        return f"{self.name}({self._critic.id}@{self._critic.version}, {self._policy.id}, {settings})"

    @property
    def spent(self) -> Cost:
        """In this episode; for the copy that the loop plays with, the costs of the actions tell it too."""
        return self._meter.spent

    def attach(self, env: Any) -> None:
        """Search in this environment.

        Raises:
            AgentError: it cannot be saved and restored.
        """
        if not all(callable(getattr(env, part, None)) for part in ("snapshot", "restore", "current", "step")):
            raise AgentError(f"a search tries actions and takes them back, and {env!r} cannot be restored", self.name)
        self._env = env
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin an episode with the whole budget; all chance comes from `seed`."""
        self._meter = Meter(self._budget)
        self._ways: dict[str, str] = {}
        if self._env is None:
            return
        simulator = Simulator(self._env, self._meter)
        self._scout = Scout(
            simulator,
            copy.copy(attached(self._policy, simulator)),
            attached(self._critic, simulator),
            self._bank,
            self._meter,
            candidates=self._candidates,
            least=self._least,
            seed=seed,
        )

    def propose(self, turn: Turn) -> Action:
        """The action that the search chose.

        Raises:
            AgentError: no environment is attached.
        """
        if self._env is None:
            raise AgentError(f"the agent {self.name} sees no environment; call attach(env) first", self.name)
        started = time.perf_counter()
        self._meter.begin_turn()
        now, info = seen_now(self._env, turn)
        if turn.rejected:
            self._ways = {}
        planned = self._ways.get(str(info.get("state_key", "")))
        action = Action(text=planned) if planned else self._searched(_held(now, turn))
        cost = msgspec.structs.replace(self._meter.turn, seconds=time.perf_counter() - started)
        return msgspec.structs.replace(action, cost=cost)

    @abstractmethod
    def _choose(self, root: Node, scout: Scout) -> Edge | Plan:
        """The action to play, or a way to success.

        Raises:
            BudgetSpentError: nothing could be found out about any action.
        """

    @abstractmethod
    def _settings(self) -> tuple[object, ...]:
        """Those of its own."""

    def _sure(self, edges: Sequence[Edge]) -> bool:
        """Whether the critic is as sure of the best one as is enough."""
        return self._enough is not None and edges[0].p is not None and edges[0].p >= self._enough

    def _searched(self, turn: Turn) -> Action:
        with taken_back(self._env):
            root = self._scout.root(turn)
            try:
                chosen = self._choose(root, self._scout)
            except BudgetSpentError:
                return self._scout.own_choice(root)
        if isinstance(chosen, Edge):
            return chosen.action
        self._ways = dict(chosen)  # of a state met twice the last action: that leaves loops out
        return Action(text=chosen[0][1])


def _held(now: Turn, turn: Turn) -> Turn:
    """What is seen now, with what the gate has handed back."""
    return msgspec.structs.replace(now, advice=turn.advice, rejected=turn.rejected)


def _made(policy: Agent | str, settings: Mapping[str, Any] | None) -> Agent:
    if isinstance(policy, str):
        made: Agent = registry.make("agent", policy, **(settings or {}))
        return made
    if settings:
        raise ConfigError(f"the policy {policy.id} is an agent, not a name, and takes no settings: {sorted(settings)}")
    return policy
