"""`AdaptedEnv`: any Gymnasium environment with discrete actions, played in words.

It knows no game: whoever adapts one says how an observation reads and what the actions are
called. The dynamics are Gymnasium's, untouched: with the same seed and the same actions the
rewards and endings are those of the environment itself.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from agentgym_critic.envs.adapter.actions import named_actions
from agentgym_critic.envs.adapter.copying import Env, copy_env
from agentgym_critic.envs.adapter.digest import state_digest
from agentgym_critic.envs.adapter.table import Solution, Table
from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.wording import unknown_action
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["AdaptedEnv", "Describe", "StepLimit", "Success"]

Describe: TypeAlias = Callable[[Any, Any], str]
Success: TypeAlias = Callable[[Any, Any, float], bool]
StepLimit: TypeAlias = int | Literal["own"] | None

DEFAULT_MAX_STEPS = 100
"""The step limit of an environment that was registered without one."""


class World(NamedTuple):
    """What a snapshot holds."""

    env: Env
    """A copy that is never stepped."""
    observation: Any
    reward: float
    """Of the last step."""
    gained: float
    """Of all steps."""
    over: bool
    task_id: str
    task: str


class AdaptedEnv(TextEnv):
    """A Gymnasium environment whose observations are described and whose actions have names.

    The functions below are given `env.unwrapped` as it is at that moment; they change nothing in
    it. The wrappers that `gymnasium.make` adds are taken off, since a `TextEnv` does their work;
    others stay.

    Args:
        env: the environment; it belongs to the adapter from now on.
        describe: of environment and observation, what a player sees, in words.
        actions: a name for each action of a `Discrete` space, in their order, or a mapping from
            names to actions of any space.
        task: the goal in words, or a function of the environment, asked after `reset`.
        task_id: a function of the environment, asked after `reset`: which task this is. None
            tells tasks apart by the state they begin in.
        success: of environment, observation and reward of a step with which the task ends:
            whether it is complete. None says: if the reward is positive.
        refuse: of environment and action name, why the action is not possible now, empty if it
            is. None takes every action at every time, as Gymnasium does.
        state: of the environment, a value that is equal exactly when the states are equal; None
            looks into all attributes, which is slower. Random generators do not count.
        copy: of the wrapped environment, an independent copy, random generator included; None
            is `copy_env`. What steps do not change may be shared.
        oracle: of the environment, what `oracle` returns while the task is not complete. None
            solves the transition table `P` for the state `s`, as the toy-text environments have
            them; without these there is no oracle.
        max_steps: steps until the episode is truncated; None for no limit, ``"own"`` for the
            limit the environment is registered with, or 100.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: the names do not fit the action space, or a setting is refused.
    """

    _variant: str = ""
    """What tells environments of this class apart, in words; a snapshot is of one variant."""

    def __init__(
        self,
        env: Env,
        describe: Describe,
        actions: Sequence[str] | Mapping[str, Any],
        *,
        task: str | Callable[[Any], str] = "",
        task_id: Callable[[Any], str] | None = None,
        success: Success | None = None,
        refuse: Callable[[Any, str], str] | None = None,
        state: Callable[[Any], object] | None = None,
        copy: Callable[[Any], Any] | None = None,
        oracle: Callable[[Any], Oracle | None] | None = None,
        max_steps: StepLimit = "own",
        render_mode: str | None = None,
    ) -> None:
        if not isinstance(env, gymnasium.Env):
            raise ConfigError(f"only a gymnasium.Env can be adapted, got a {type(env).__name__}")
        limit = _own_limit(env) if max_steps == "own" else max_steps
        super().__init__(max_steps=limit, render_mode=render_mode)
        self._env = _without_duties(env)
        self._actions = named_actions(self._env.action_space, actions)
        self._describe = describe
        self._say_task, self._say_task_id = task, task_id
        self._success_of = success or _rewarded
        self._refuse = refuse
        self._tell_apart = state
        self._copy = copy or copy_env
        self._ask = oracle
        self._solution: tuple[Table, Solution] | None = None
        self._seen: Any = None
        self._reward, self._gained, self._over, self._spent = 0.0, 0.0, False, False
        self._task_id = self._goal = ""
        self.env_version = f"gymnasium {gymnasium.__version__}"

    @property
    def inner(self) -> Any:
        """The environment of Gymnasium, unwrapped. `restore` puts another in its place."""
        return self._env.unwrapped

    def oracle(self) -> Oracle | None:
        """The actions of best play, by the function given or by the transition table; None if neither knows any.

        By the table: all actions with the highest expected sum of rewards and, among those, the
        fewest expected steps until the task ends; exact, whatever the step limit. `value` is the
        expected sum of rewards of the whole episode, those already given included. Where chance
        has a say `certain` is false and `steps_left` that expectation, rounded up. None where
        best play cannot succeed.
        """
        if self._success:
            return Oracle(actions=(), steps_left=0, value=None if self._ask or not self._table() else self._gained)
        if self._ask:
            return self._ask(self.inner)
        solution = self._solved()
        if solution is None or not solution.hopeful(state := self._table_state()):
            return None
        best, certain = solution.best(state), solution.certain(state)
        return Oracle(
            actions=tuple(name for name, action in self._actions.items() if action in best),
            steps_left=round(solution.steps(state)) if certain else math.ceil(solution.steps(state) - 1e-9),
            certain=certain,
            value=self._gained + solution.value(state),
        )

    def action_values(self) -> dict[str, float] | None:
        """For each action the expected sum of rewards of the episode if it comes next; privileged, like the oracle.

        None without a transition table, and once the task has ended.
        """
        solution = self._solved()
        if solution is None:
            return None
        worths = solution.worths(self._table_state())
        return {name: self._gained + worths[action] for name, action in self._actions.items() if action in worths}

    def close(self) -> None:
        """Close the environment of Gymnasium."""
        self._running = False
        self._env.close()

    # ------------------------------------------------------------------ What a subclass may replace

    def _table(self) -> Table | None:
        """All transitions, the same object as long as they are the same; None if they are not known."""
        table = getattr(self.inner, "P", None)
        return table if isinstance(table, Mapping) and hasattr(self.inner, "s") else None

    def _table_state(self) -> Any:
        """The state of the table in which the world is."""
        return int(self.inner.s)

    def _table_starts(self) -> Iterable[Any]:
        """The states to solve the table from: that of the world and perhaps others, to have them solved too."""
        return [self._table_state()]

    # ------------------------------------------------------------------ What a world defines

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self._seen, _ = self._env.reset(seed=self.episode_seed)
        self._reward, self._gained, self._over, self._spent = 0.0, 0.0, False, False
        name = self._env.spec.id if self._env.spec else type(self.inner).__name__
        self._goal = self._say_task(self.inner) if callable(self._say_task) else self._say_task or f"Play {name}."
        self._task_id = self._say_task_id(self.inner) if self._say_task_id else f"{name}-{self._state_key()}"
        return self._view()

    def _act(self, action: str) -> Outcome:
        self._seen, given, terminated, truncated, _ = self._env.step(self._actions[action])
        self._reward, self._over = float(given), bool(terminated)
        self._gained += self._reward
        success = self._over and bool(self._success_of(self.inner, self._seen, self._reward))
        self._spent = bool(truncated)
        return Outcome(self._view(), self._reward, self._over, success)

    def _cut_off(self) -> bool:
        return self._spent or super()._cut_off()

    def _admissible(self) -> list[str]:
        return [action for action in self._actions if not self._refusal(action)]

    def _refusal(self, action: str) -> str:
        if action not in self._actions:
            return unknown_action(action, self._actions)
        return self._refuse(self.inner, action) if self._refuse else ""

    def _view(self) -> str:
        text = self._describe(self.inner, self._seen)
        if not isinstance(text, str):
            raise EnvError(f"describe returned {text!r}; return what the player sees, a string", repr(self))
        return text

    def _kind(self) -> str:
        return f"{super()._kind()} of {type(self.inner).__qualname__}{self._variant}"

    def _get_world(self) -> World:
        env, seen = self._copy(self._env), copy.deepcopy(self._seen)
        return World(env, seen, self._reward, self._gained, self._over, self._task_id, self._goal)

    def _set_world(self, world: World) -> None:
        env, seen, self._reward, self._gained, self._over, self._task_id, self._goal = world
        self._env, self._seen, self._spent = self._copy(env), copy.deepcopy(seen), False

    def _state_key(self) -> str:
        state = state_digest(self._tell_apart(self.inner) if self._tell_apart else self._env)
        return f"{state}-over" if self._over else state

    def _task(self) -> tuple[str, str]:
        return self._task_id, self._goal

    def _solved(self) -> Solution | None:
        """The solution of the transition table; None without one, and once the task has ended."""
        table = self._table()
        if table is None or self._over:
            return None
        if self._solution is None or self._solution[0] is not table or self._table_state() not in self._solution[1]:
            self._solution = table, Solution(table, self._table_starts(), self._ends_well)
        return self._solution[1]

    def _ends_well(self, state: Any, reward: float) -> bool:
        return bool(self._success_of(self.inner, state, float(reward)))


def _rewarded(env: Any, observation: Any, reward: float) -> bool:
    return reward > 0


def _own_limit(env: Env) -> int:
    return (env.spec.max_episode_steps if env.spec else None) or DEFAULT_MAX_STEPS


def _without_duties(env: Env) -> Env:
    """The environment without the wrappers whose work a `TextEnv` does itself."""
    while isinstance(env, TimeLimit | OrderEnforcing | PassiveEnvChecker):
        env = env.env
    return env
