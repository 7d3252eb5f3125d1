"""`MonteCarloCritic`: tries an action in the simulator, many times, and plays on from there.

The MC-Critic of ProAct (arXiv 2602.05327). It sees the simulator, so it is for environments that can be saved
and restored, and for those who may use them: as a reference, in search, to make labels. It reads no oracle.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from statistics import fmean
from typing import Any, Literal, NamedTuple, get_args

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.bounded import BoundedCache
from agentgym_critic.critics.intervals import chance_above, difference_range, share_range
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.simulation import Played, Policy, RandomPolicy, play_on, seed_of, seen_now, taken_back
from agentgym_critic.errors import AgentGymError, ConfigError, CriticError, EnvError, boundary
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Cost, Experience, Turn, Verdict

__all__ = ["MonteCarloCritic", "ProductiveBy", "ValueOf"]

ValueOf = Literal["success", "return"]
ProductiveBy = Literal["gain", "chance"]


class MonteCarloCritic:
    """p from rollouts of a policy, from a snapshot of the attached environment, which is left exactly as it was.

    A rollout plays the action and then the policy, until the episode ends or `horizon` steps are played. It is worth
    ``gamma ** (steps - 1)`` if it succeeded and 0 if not, or, with ``value="return"``, its discounted return.

    What p is the probability of:

    - ``productive="gain"``: that the action is worth more than what the policy would do by itself from here, as
      sure as the rollouts of both make it (`intervals.chance_above`): a step is productive if it raises
      the chance to finish. 0.5 where they do not differ, as where no rollout of either succeeds.
    - ``productive="chance"``: success after the action, ``(successes + 1) / (rollouts + 2)``.

    `dimensions` holds the mean ``value``, the share of ``success``, the ``baseline`` (the value without the action),
    ``low`` and ``high`` of a 95 % interval (of value - baseline, or of the chance), ``rollouts``, and
    ``env_steps``, what this verdict took. Values are kept by task, state and action: a state that is met again
    takes no steps. The seed of a rollout depends on these and its number alone, so a verdict does not depend on
    what was asked before. In an environment whose chance is in its snapshot, all rollouts of the same
    actions meet the same chance.

    Args:
        policy: an agent, copied so that it may be the one that plays; its `reset` begins anew. None picks legal
            actions at random.
        rollouts: for each action, and for the baseline.
        horizon: longest rollout, in steps.
        gamma: discount a step.
        value: what a rollout is worth.
        productive: what p is.
        most_env_steps: for each action, and for the baseline; at least `horizon`. A rollout that might go over it
            is not begun; None for no limit.
        seed: of the rollouts.
        most_cached: values to keep.

    Raises:
        ConfigError: a setting is out of range.
    """

    id = "monte-carlo"
    recall_k = 0

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        rollouts: int = 32,
        horizon: int = 50,
        gamma: float = 0.95,
        value: ValueOf = "success",
        productive: ProductiveBy = "gain",
        most_env_steps: int | None = None,
        seed: int = 0,
        most_cached: int = 100_000,
    ) -> None:
        if value not in get_args(ValueOf) or productive not in get_args(ProductiveBy):
            raise ConfigError(
                f"value is success or return, and productive gain or chance; got {value!r} and {productive!r}"
            )
        if rollouts < 1 or horizon < 1 or not 0 < gamma <= 1:
            raise ConfigError(
                f"rollouts and horizon are at least 1, and gamma in (0, 1]; got {rollouts}, {horizon} and {gamma}"
            )
        if most_env_steps is not None and most_env_steps < horizon:
            raise ConfigError(
                f"most_env_steps lets at least one rollout of {horizon} steps be played; got {most_env_steps}"
            )
        self._policy = policy or RandomPolicy()
        self._rollouts, self._horizon, self._gamma = rollouts, horizon, gamma
        self._value, self._productive = value, productive
        self._most_env_steps, self._seed = most_env_steps, seed
        self._known: BoundedCache[tuple[str, ...], _Tried] = BoundedCache(most_cached)
        self._env: Any = None

    @property
    def version(self) -> str:
        """A fingerprint of policy and settings."""
        played = (self._policy.id, self._rollouts, self._horizon, self._most_env_steps, self._seed)
        return f"1:{fingerprint(played, self._gamma, self._value, self._productive)}"

    def attach(self, env: Any) -> None:
        """Try actions in this simulator, with a copy of the policy: episodes may be played at the same time."""
        self._env, self._policy = env, copy.copy(attached(self._policy, env))

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action, of the state the attached environment is in.

        Raises:
            CriticError: no environment is attached.
        """
        if self._env is None:
            raise CriticError("the Monte Carlo critic sees no environment; call attach(env) first", self.id)
        return [self._judge(turn, action.text) for action in actions]

    def _judge(self, turn: Turn, action: str) -> Verdict:
        started = time.perf_counter()
        try:
            with boundary(f"environment {self._env}", EnvError):
                now, info = seen_now(self._env, turn)
                tried, steps, cost = self._tried(now, info, getattr(self._env, "canonical", str)(action))
                rest = None
                if self._productive == "gain":
                    rest, more_steps, more_cost = self._tried(now, info, None)
                    steps, cost = steps + more_steps, cost + more_cost
        except AgentGymError as error:
            return Verdict.unscored(self.id, failure_class(error), failure_detail(error), version=self.version)
        seconds = time.perf_counter() - started
        return self._verdict(action, tried, rest, steps, cost + Cost(seconds=seconds, env_steps=steps))

    def _tried(self, turn: Turn, info: dict[str, Any], first: str | None) -> tuple[_Tried, int, Cost]:
        """What came of an action, or of none in particular, and the steps and cost that finding out took."""
        limit = self._horizon if turn.steps_left is None else max(1, min(self._horizon, turn.steps_left))
        key = (str(info["task_id"]), str(info["state_key"]), str(limit), *(() if first is None else (first,)))
        if known := self._known.get(key):
            return known, 0, Cost()
        played: list[Played] = []
        steps = 0
        with taken_back(self._env) as snapshot:
            while len(played) < self._rollouts and self._affordable(steps):
                self._env.restore(snapshot)
                self._policy.reset(seed_of(self._seed, *key, str(len(played))))
                played.append(play_on(self._env, turn, first, self._policy, limit))
                steps += len(played[-1].rewards)
        tried = _Tried(tuple(map(self._worth, played)), sum(each.success for each in played))
        self._known.put(key, tried)
        return tried, steps, sum((each.cost for each in played), Cost())

    def _affordable(self, steps: int) -> bool:
        return self._most_env_steps is None or steps + self._horizon <= self._most_env_steps

    def _worth(self, played: Played) -> float:
        if self._value == "return":
            return sum(self._gamma**place * reward for place, reward in enumerate(played.rewards))
        return float(self._gamma ** (len(played.rewards) - 1)) if played.success else 0.0

    def _verdict(self, action: str, tried: _Tried, rest: _Tried | None, steps: int, cost: Cost) -> Verdict:
        n = len(tried.values)
        value = fmean(tried.values)
        if rest is None:
            p, interval = (tried.successes + 1) / (n + 2), share_range(tried.successes, n)
        else:
            p, interval = chance_above(tried.values, rest.values), difference_range(tried.values, rest.values)
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            critique=f"Of {n} rollouts after {action!r} {tried.successes} succeeded.",
            dimensions={
                "value": value,
                "success": tried.successes / n,
                **({} if rest is None else {"baseline": fmean(rest.values)}),
                "low": interval.low,
                "high": interval.high,
                "rollouts": float(n),
                "env_steps": float(steps),
            },
            cost=cost,
        )


class _Tried(NamedTuple):
    """What rollouts were worth."""

    values: tuple[float, ...]
    successes: int
