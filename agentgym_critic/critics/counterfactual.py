"""How much each step changed the chance of success, by rollouts from the moments before and after it.

It plays in a second copy of the world and asks no oracle, but it needs a simulator: no deployed critic
can judge so. What it measures is the chance under the rollout policy, which need not be the player's.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, get_args

import msgspec
import numpy as np

from agentgym_critic.critics.chance import Chance, change_interval, probability_of_rise, probability_of_saving
from agentgym_critic.critics.replica import Env, Moment, Replica, acted, replayed
from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.survey import costs_of
from agentgym_critic.envs import TextEnv
from agentgym_critic.errors import AgentError, ConfigError, CriticError, EnvError, boundary
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Cost, Exchange, Trajectory, Turn, Verdict, exchange

__all__ = ["By", "CounterfactualCritic", "RolloutPolicy"]

By = Literal["chance", "pace"]
"""Whether a step is judged by the chance of success alone, or also by how soon success comes."""


class RolloutPolicy(Protocol):
    """Plays the rollouts: any agent will do."""

    @property
    def id(self) -> str:
        """Changes whenever the same turn may get another action."""
        ...

    def reset(self, seed: int) -> None:
        """Draw all randomness of the next rollout from `seed`."""
        ...

    def propose(self, turn: Turn) -> Action:
        """The action to run now."""
        ...


class CounterfactualCritic:
    """p is the probability that the step raised the chance of success, as far as the rollouts tell.

    In the moments before and after a step, as many rollouts are played, and successes counted. The
    chance of each has the posterior Beta(successes + 1/2, failures + 1/2); p = Phi(d / s), where d is
    the difference of the two means (after less before) and s the square root of the sum of the
    variances. So equal counts give 0.5 (no label), and few rollouts a p near it. The moment before a
    step counts successes within `horizon` steps, the one after within one less, so that no step is
    blamed for the step it takes. A moment at which the episode is over has the outcome it has. All
    moments get the same seeds, so that a step that changes nothing changes no count; to treat the
    counts as independent all the same errs on the side of caution.

    Rollouts go in rounds, one from every moment; a round that the budget does not allow any more is
    left out for all, so that the counts can be compared. If not even one fits, the steps are unscored.

    Dimensions: ``chance_before`` and ``chance_after`` (shares in [0, 1]), ``change_low`` and
    ``change_high`` (95 % interval of their difference), ``rollouts`` (at each moment), ``env_steps``
    (the episode's, on its first step). The cost has the seconds, and the tokens of a policy that asks
    a model.

    By ``"pace"``, p is the probability that the step saved time: see `probability_of_saving`. It tells steps apart
    where the rollout policy succeeds from everywhere, and a step that changes nothing is unproductive.

    It judges what came of a step, not the decision: where a world has chance of its own, bad luck looks
    like a bad step, and since a snapshot includes the dice, the rollouts differ by what the policy does
    only. Do not rely on it there. A world that cannot be saved is played from its start for each rollout, at
    the expense of the budget. The step limit of the world ends rollouts as it ended the episode.

    Args:
        make_env: builds an environment as the trajectory was made in; None for the attached one, or
            else that of the trajectory's environment id with its usual settings.
        policy: plays the rollouts; None picks uniformly among the admissible actions.
        rollouts: from each moment, at most.
        horizon: steps of a rollout, at most; None for the world's own limit.
        budget_steps: environment steps for an episode, replaying included.
        seed: of the policy.
        by: ``"chance"`` of success, or ``"pace"``.

    Raises:
        ConfigError: a number is below 1, the seed below 0, or `by` unknown.
    """

    id = "counterfactual"

    def __init__(
        self,
        make_env: Callable[[], Env] | None = None,
        policy: RolloutPolicy | None = None,
        *,
        rollouts: int = 16,
        horizon: int | None = 100,
        budget_steps: int = 20_000,
        seed: int = 0,
        by: By = "chance",
    ) -> None:
        if by not in get_args(By):
            raise ConfigError(f"by is chance or pace, got {by!r}")
        for name, number in (("rollouts", rollouts), ("horizon", horizon), ("budget_steps", budget_steps)):
            if number is not None and number < 1:
                raise ConfigError(f"{name} is a number from 1, got {number}")
        if seed < 0:
            raise ConfigError(f"seed is a number from 0, got {seed}")
        self._replica, self._policy = Replica(make_env), policy
        self._rollouts, self._horizon, self._budget, self._seed = rollouts, horizon, budget_steps, seed
        self._by = by

    @property
    def version(self) -> str:
        """The policy's id and a fingerprint of the settings."""
        policy = self._policy.id if self._policy else "uniform"
        return f"1:{policy}:{fingerprint(self._rollouts, self._horizon, self._budget, self._seed, self._by)}"

    def attach(self, env: Any) -> None:
        """Use this world where there is no factory; it is left at some moment of the episode."""
        self._replica = self._replica._replace(env=env)

    def review(self, trajectory: Trajectory) -> list[Verdict]:
        """One verdict for each step, in order."""
        if not trajectory.steps:
            return []
        started, spent = time.perf_counter(), _Spent(self._budget)
        try:
            with self._replica.opened(trajectory) as env:
                times = self._times(env, trajectory, spent)
        except Exception as error:  # a policy or a world: whatever it raises, the steps are unscored
            return self._unscored(error, len(trajectory.steps), spent.cost_since(started))
        return self._verdicts(times, spent, spent.cost_since(started))

    def _times(self, env: Env, trajectory: Trajectory, spent: _Spent) -> list[list[float]]:
        """For each moment the steps to success of each rollout, infinite where there was none."""
        path = _Path(env, trajectory, spent)
        rounds: list[list[float]] = []
        try:
            for number in range(self._rollouts):
                rounds.append([self._time(path, place, number) for place in range(len(path.moments))])
        except _BudgetSpentError:
            if not rounds:
                raise CriticError(
                    f"{self._budget} environment steps are not enough for one rollout from each of "
                    f"{len(path.moments)} moments; raise budget_steps or lower horizon",
                    self.id,
                ) from None
        return [list(column) for column in zip(*rounds, strict=True)]

    def _time(self, path: _Path, place: int, number: int) -> float:
        """Steps to success in one rollout from a moment."""
        start = path.moments[place]
        if start.success or start.over:
            return 0.0 if start.success else math.inf
        key = np.random.SeedSequence((self._seed, path.trajectory.seed, number))  # the same at every moment
        policy: RolloutPolicy = copy.copy(self._policy) or _Uniform()  # reviews may run in several threads
        with boundary(f"policy {policy.id}", AgentError):
            policy.reset(int(key.generate_state(1)[0]))
        for taken, now in enumerate(path.rollout(place, policy), start=1):
            if now.success:
                return taken
            if now.over or taken == self._horizon:
                break
        return math.inf

    def _verdicts(self, times: Sequence[Sequence[float]], spent: _Spent, cost: Cost) -> list[Verdict]:
        limit = math.inf if self._horizon is None else self._horizon
        before = [_within(own, limit) for own in times[:-1]]
        after = [_within(own, limit - 1) for own in times[1:]]
        verdicts = [self._verdict(*pair) for pair in zip(before, after, strict=True)]
        if self._by == "pace":
            pairs = zip(verdicts, times[:-1], times[1:], strict=True)
            verdicts = [msgspec.structs.replace(own, p=probability_of_saving(*both)) for own, *both in pairs]
        dimensions = {**verdicts[0].dimensions, "env_steps": float(spent.steps)}
        verdicts[0] = msgspec.structs.replace(verdicts[0], dimensions=dimensions, cost=cost)
        return verdicts

    def _verdict(self, before: Chance, after: Chance) -> Verdict:
        low, high = change_interval(before, after)
        return Verdict(
            p=probability_of_rise(before, after),
            critic=self.id,
            version=self.version,
            critique=f"{before.successes} of {before.trials} rollouts succeeded before the step, and {after.successes} "
            f"of {after.trials} after it.",
            dimensions={
                "chance_before": before.share,
                "chance_after": after.share,
                "change_low": low,
                "change_high": high,
                "rollouts": float(before.trials),
            },
        )

    def _unscored(self, error: Exception, count: int, cost: Cost) -> list[Verdict]:
        failure, detail = failure_class(error), failure_detail(error)
        costs = costs_of(cost, count)
        return [Verdict.unscored(self.id, failure, detail, version=self.version, cost=own) for own in costs]


class _BudgetSpentError(Exception):
    """No further environment step may be taken."""


class _Spent:
    """Environment steps and model calls so far."""

    def __init__(self, budget: int) -> None:
        self.steps, self.cost, self._budget = 0, Cost(), budget

    def step(self) -> None:
        """Take one more.

        Raises:
            _BudgetSpentError: none is left.
        """
        if self.steps >= self._budget:
            raise _BudgetSpentError
        self.steps += 1

    def cost_since(self, started: float) -> Cost:
        """What the model calls used, and the wall time since then."""
        return msgspec.structs.replace(self.cost, seconds=time.perf_counter() - started)


class _Path:
    """The moments of an episode, and rollouts from any of them."""

    def __init__(self, env: Env, trajectory: Trajectory, spent: _Spent) -> None:
        self.trajectory, self._env, self._spent = trajectory, env, spent
        self._history = tuple(map(exchange, trajectory.steps))
        self.moments: list[Moment] = []
        self._saved: list[Any] = []
        for moment in replayed(env, trajectory):
            if self.moments:
                spent.steps += 1  # replaying is no choice; the budget only counts it
            self.moments.append(moment)
            self._saved.append(env.snapshot() if isinstance(env, TextEnv) else None)

    def rollout(self, place: int, policy: RolloutPolicy) -> Iterator[Moment]:
        """Play on from a moment: what is seen after each action, for as long as the caller wants."""
        now, history = self._back_at(place), list(self._history[:place])
        limit = getattr(self._env.unwrapped, "max_steps", None)
        while True:
            self._spent.step()
            turn = Turn(
                task=str(now.info.get("task", self.trajectory.task)),
                observation=now.observation,
                admissible_actions=now.admissible,
                history=tuple(history),
                index=len(history),
                steps_left=None if limit is None else limit - len(history),
            )
            with boundary(f"policy {policy.id}", AgentError):
                action = policy.propose(turn)
            self._spent.cost += action.cost
            now = acted(self._env, action.text)
            reason = str(now.info.get("invalid_reason") or "")
            history.append(Exchange(observation=turn.observation, action=action.text, invalid_reason=reason))
            yield now

    def _back_at(self, place: int) -> Moment:
        if isinstance(self._env, TextEnv):
            self._env.restore(self._saved[place])
            return self.moments[place]
        with boundary(f"environment {self._env}", EnvError):
            now = Moment(*self._env.reset(seed=self.trajectory.seed))
        for step in self.trajectory.steps[:place]:
            self._spent.step()
            now = acted(self._env, step.action.text)
        return now


class _Uniform:
    """Picks uniformly among the admissible actions."""

    id = "uniform"

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def propose(self, turn: Turn) -> Action:
        actions = turn.admissible_actions
        if not actions:
            raise AgentError(
                "the admissible actions cannot be listed, so that none can be picked; give the critic a policy",
                self.id,
            )
        return Action(text=actions[int(self._rng.integers(len(actions)))])


def _within(times: Sequence[float], limit: float) -> Chance:
    return Chance(sum(time <= limit and time < math.inf for time in times), len(times))
