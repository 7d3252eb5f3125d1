"""`TextEnv`: the base class of every environment here.

It owns what all of them share: local seeds, the step limit, refusing illegal actions, the
`info` dictionary, snapshots. A subclass owns the rules of one world and nothing else. The
base knows no agent and no critic.

To write an environment, implement the seven methods of the section "What a world defines"
and run `agentgym_critic.envs.check_text_env` on it.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np

from agentgym_critic.envs.ranges import is_whole
from agentgym_critic.errors import ConfigError, EnvError, abridged
from agentgym_critic.settings import check_settings
from agentgym_critic.types import Oracle, clean_text

if TYPE_CHECKING:
    from agentgym_critic.envs.adapter import AdaptedEnv
    from agentgym_critic.envs.vector import TextVectorEnv

__all__ = ["FreeText", "Outcome", "Snapshot", "TextEnv", "clean_action", "option_dict", "whole_seed"]

MAX_ACTION_CHARS = 1_000
"""Longer actions are refused: no environment here has one, and a model that rambles can fill a disk."""


class Outcome(NamedTuple):
    """What an action did."""

    observation: str
    reward: float = 0.0
    terminated: bool = False
    success: bool = False


class Snapshot(NamedTuple):
    """A saved moment of an episode: opaque, immutable as long as the world's state is."""

    world: Any
    observation: str
    steps_taken: int
    running: bool
    success: bool
    invalid_reason: str
    kind: str = ""
    """What it is a moment of; empty for one made by hand."""


class FreeText(gymnasium.spaces.Text):
    """All strings up to `max_length` characters, of any script; sampling stays alphanumeric."""

    def __init__(self, max_length: int = 1_000_000) -> None:
        super().__init__(max_length=max_length, min_length=0)

    def __repr__(self) -> str:
        """The space and its limit."""
        return f"FreeText({self.max_length})"

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random alphanumeric string of up to 20 characters."""
        return super().sample((int(self.np_random.integers(1, 21)), None))


def clean_action(action: object) -> str:
    r"""An action as one line of clean text.

    >>> clean_action("  go  \n north ")
    'go north'
    """
    return " ".join(clean_text(action).split()) if isinstance(action, str) else ""


def whole_seed(seed: Any) -> int:
    """A seed that is one.

    Raises:
        ConfigError: it is no whole number from 0.
    """
    number = -1
    with suppress(TypeError):
        number = operator.index(seed)
    if isinstance(seed, bool) or number < 0:
        raise ConfigError(f"seed: whole numbers from 0, or None; got {abridged(seed)}")
    return number


def option_dict(name: str, options: Any) -> dict[str, Any]:
    """Options as a dictionary of its own, empty for None.

    Raises:
        ConfigError: they are something else.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"{name}: a dictionary or None; got {abridged(options)}")
    return dict(options or {})


class TextEnv(gymnasium.Env[str, str], ABC):
    """A Gymnasium environment whose observations and actions are text.

    `info`, after `reset` and after every `step`, carries:

    - ``admissible_actions``: list of the legal actions, or None where they cannot be listed
    - ``invalid_action``: whether the last action was illegal; ``invalid_reason``: why, or ``""``
    - ``success``: whether the task is complete
    - ``task``: the goal in words; ``task_id``: which task of the environment this is
    - ``state_key``: a hash of the full simulator state, equal exactly when the states are equal

    An illegal action costs a step, changes nothing else, and is explained.

    Args:
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: `max_steps` is below 1 or the render mode is unknown.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    episode_options: frozenset[str] = frozenset()
    """The keys that `reset(options=...)` may have."""

    env_version: str = "1"
    """Changes whenever the same seed and actions may give another episode; stored in trajectories."""

    illegal_action_reward: float = 0.0
    """Reward of an illegal action."""

    def __init__(self, *, max_steps: int | None = 100, render_mode: str | None = None) -> None:
        if max_steps is not None and not is_whole(max_steps):
            raise ConfigError(f"max_steps is a whole number, or None for no limit; got {abridged(max_steps)}")
        if max_steps is not None and max_steps < 1:
            raise ConfigError(f"max_steps is at least 1, or None for no limit; got {abridged(max_steps)}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(
                f"render_mode is one of {self.metadata['render_modes']} or None; got {abridged(render_mode)}"
            )
        self.max_steps = max_steps
        self.render_mode = render_mode
        self.observation_space = FreeText()
        self.action_space = FreeText(MAX_ACTION_CHARS)
        self.episode_seed = 0
        self._observation = ""
        self._steps_taken = 0
        self._running = False
        self._success = False
        self._invalid_reason = ""

    # ------------------------------------------------------------------ What a world defines

    @abstractmethod
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        """Set up a new episode from `rng` alone and return its first observation."""

    @abstractmethod
    def _act(self, action: str) -> Outcome:
        """Carry out a legal action."""

    @abstractmethod
    def _admissible(self) -> list[str] | None:
        """The legal actions in a fixed order, or None where they cannot be listed."""

    @abstractmethod
    def _get_world(self) -> Any:
        """The full simulator state as one value that later steps do not change."""

    @abstractmethod
    def _set_world(self, world: Any) -> None:
        """Return to a state that `_get_world` gave."""

    @abstractmethod
    def _state_key(self) -> str:
        """A hash of the full simulator state, equal exactly when the states are equal."""

    @abstractmethod
    def _task(self) -> tuple[str, str]:
        """The id of the task and the goal in words."""

    def _kind(self) -> str:
        """What snapshots are of: those of another kind are refused.

        A subclass adds the settings without which a moment makes no sense here. Empty where `_set_world`
        itself refuses what is foreign.
        """
        return type(self).__qualname__

    def _read(self, action: object) -> str:
        """The text of an action; empty if it is none."""
        return clean_action(action)

    def _refusal(self, action: str) -> str:
        """Why `action` is illegal now, explained for the player; empty if it is legal."""
        admissible = self._admissible()
        if admissible is None or action in admissible:
            return ""
        return f"{action!r} is not possible here. Possible: {', '.join(admissible)}."

    def _refused(self, action: str, reason: str) -> str:
        """The observation after an illegal action: the reason, then the view as it was."""
        return f"{reason}\n\n{self._view()}"

    def _view(self) -> str:
        """What a player sees now, described anew; worlds that cannot do that override `_refused`."""
        raise NotImplementedError(f"{type(self).__name__} defines neither _view() nor _refused()")

    def _cut_off(self) -> bool:
        """Whether the episode ends here without its task having ended; worlds with a limit of their own add it."""
        return self.max_steps is not None and self._steps_taken >= self.max_steps

    def canonical(self, action: str) -> str:
        """An action as the world itself spells it: what `oracle` names and what is listed are spelled so."""
        return self._read(action)

    def oracle(self) -> Oracle | None:
        """The optimal next actions and the steps still needed; None where no solver exists.

        Privileged: for evaluation and demonstrations, never for an agent's or critic's eyes.
        """
        return None

    # ------------------------------------------------------------------ What all worlds share

    @staticmethod
    def from_gymnasium(
        env: gymnasium.Env[Any, Any],
        describe: Callable[[Any, Any], str],
        actions: Sequence[str] | Mapping[str, Any],
        **settings: Any,
    ) -> AdaptedEnv:
        """An environment of Gymnasium with discrete actions, as a `TextEnv`.

        Args:
            env: the environment.
            describe: of environment and observation, what a player sees, in words.
            actions: the names of the actions, in their order; or a mapping from names to actions.
            settings: the goal, what counts as success, an oracle, ...: all of `adapter.AdaptedEnv`.

        Raises:
            ConfigError: the names do not fit the action space, or a setting is refused.
        """
        from agentgym_critic.envs.adapter import AdaptedEnv

        given = {"env": env, "describe": describe, "actions": actions, **settings}
        check_settings("TextEnv.from_gymnasium", AdaptedEnv, given)
        return AdaptedEnv(**given)

    @staticmethod
    def make_vec(env_id: str, n: int, *, group: int = 1, **settings: Any) -> TextVectorEnv:
        """`n` environments of an id, stepped together in one process: `vector.make_vector_env`.

        Args:
            env_id: as `make_env` takes it.
            n: how many.
            group: copies of one start, for group-relative training; `n` is a multiple of it.
            settings: ``autoreset_mode``, and keyword arguments of the environment.

        Raises:
            ConfigError: the id, the vector or a setting is refused.
            EnvError: the environment's constructor raised.
        """
        from agentgym_critic.envs.vector import make_vector_env

        return make_vector_env(env_id, n, group=group, **settings)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: the same seed gives the same episode in any thread, process or order; None
                draws one from the generator of the last seed.
            options: settings of this episode; each environment documents its own.

        Returns:
            The first observation, and `info`.

        Raises:
            ConfigError: the seed is none, or an option is unknown; nothing has changed.
        """
        seed, options = None if seed is None else whole_seed(seed), option_dict("options", options)
        self._check_options(options)
        super().reset(seed=seed)
        self.episode_seed = int(self.np_random.integers(2**31)) if seed is None else seed
        self._steps_taken, self._running, self._success, self._invalid_reason = 0, False, False, ""
        self._observation = self._begin(np.random.default_rng(self.episode_seed), options)
        self._running = True
        return self.current()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        Returns:
            Observation, reward, whether the task ended, whether the step limit cut it off, `info`.

        Raises:
            EnvError: the episode has not been started, or is over.
        """
        if not self._running:
            raise EnvError("the episode is over or was never started; call reset() before step()", repr(self))
        outcome = self._try(action)
        self._steps_taken += 1
        truncated = not outcome.terminated and self._cut_off()
        self._observation, self._success = outcome.observation, outcome.success
        self._running = not (outcome.terminated or truncated)
        return outcome.observation, outcome.reward, outcome.terminated, truncated, self._info()

    def current(self) -> tuple[str, dict[str, Any]]:
        """The observation and `info` of this moment, as `reset`, `step` or `restore` left it."""
        return self._observation, self._info()

    def snapshot(self) -> Snapshot:
        """Save this moment exactly; cheap, and valid for the rest of the episode."""
        return Snapshot(
            world=self._get_world(),
            observation=self._observation,
            steps_taken=self._steps_taken,
            running=self._running,
            success=self._success,
            invalid_reason=self._invalid_reason,
            kind=self._kind() or type(self).__qualname__,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a saved moment of this episode: the same actions then give the same results.

        Raises:
            EnvError: it is none; nothing has changed.
        """
        self._require_own(snapshot)
        self._set_world(snapshot.world)
        self._observation, self._steps_taken = snapshot.observation, snapshot.steps_taken
        self._running, self._success = snapshot.running, snapshot.success
        self._invalid_reason = snapshot.invalid_reason

    def _require_own(self, snapshot: Snapshot) -> None:
        """Refuse what is no snapshot, or one of another kind of world.

        Raises:
            EnvError: it is one; nothing has changed.
        """
        if not isinstance(snapshot, Snapshot):
            raise EnvError(f"restore() takes what snapshot() gave, got {type(snapshot).__name__}", repr(self))
        kind = self._kind()
        if kind and snapshot.kind not in ("", kind):
            raise EnvError(f"the snapshot is of {snapshot.kind}, and this is {kind}", repr(self))

    def render(self) -> str | None:
        """The current observation in the mode ``"ansi"``, else None."""
        return self._observation if self.render_mode == "ansi" else None

    def __repr__(self) -> str:
        """The class and, where known, the id."""
        return f"<{type(self).__name__}{f' {self.spec.id}' if self.spec else ''}>"

    def _check_options(self, options: dict[str, Any]) -> None:
        if unknown := options.keys() - self.episode_options:
            known = f"are {sorted(self.episode_options)}" if self.episode_options else "do not exist"
            raise ConfigError(
                f"options of an episode of {type(self).__name__} {known}; got {sorted(map(str, unknown))}"
            )

    def _try(self, action: object) -> Outcome:
        text = self._read(action)
        self._invalid_reason = _malformed(action, text) or self._refusal(text)
        if self._invalid_reason:
            return Outcome(self._refused(text, self._invalid_reason), self.illegal_action_reward)
        return self._act(text)

    def _info(self) -> dict[str, Any]:
        task_id, task = self._task()
        return {
            "admissible_actions": self._admissible() if self._running else [],
            "invalid_action": bool(self._invalid_reason),
            "invalid_reason": self._invalid_reason,
            "success": self._success,
            "task": task,
            "task_id": task_id,
            "state_key": self._state_key(),
        }


def _malformed(action: object, text: str) -> str:
    if not isinstance(action, str):
        return f"An action is a string, got {type(action).__name__}."
    if not text:
        return "An action is at least one word, got an empty one."
    if len(text) > MAX_ACTION_CHARS:
        return f"An action has at most {MAX_ACTION_CHARS} characters, got {len(text)}."
    return ""
