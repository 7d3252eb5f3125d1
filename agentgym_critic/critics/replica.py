"""A second copy of the world that an episode was played in, brought back to each of its moments.

It plays the stored actions again and refuses a world that shows something else than was stored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium

from agentgym_critic.envs import TextEnv, make_env
from agentgym_critic.errors import EnvError, abridged, boundary
from agentgym_critic.types import Trajectory

__all__ = ["Env", "Moment", "Replica", "acted", "replayed"]

Env = gymnasium.Env[str, str]


class Moment(NamedTuple):
    """What a world shows between two steps."""

    observation: str
    info: dict[str, Any]
    over: bool = False
    """Whether no further step is possible."""

    @property
    def success(self) -> bool:
        """Whether the task is complete."""
        return bool(self.info.get("success", False))

    @property
    def admissible(self) -> tuple[str, ...] | None:
        """The legal actions, or None where they cannot be listed."""
        listed = self.info.get("admissible_actions")
        return None if listed is None else tuple(map(str, listed))


class Replica(NamedTuple):
    """Where the second copy comes from: a factory, the world that is attached, or else the trajectory's id."""

    make: Callable[[], Env] | None = None
    """Builds a world as the trajectory was made in, settings included."""
    env: Env | None = None
    """Used where there is no factory. It is left at some moment of the episode: reset it before the next."""

    @contextlib.contextmanager
    def opened(self, trajectory: Trajectory) -> Iterator[Env]:
        """The world, for as long as it is used.

        Raises:
            ConfigError: it comes from the trajectory's id, and there is no such environment.
            EnvError: it cannot be built.
        """
        if self.make is None and self.env is not None:
            yield _bare(self.env)
            return
        with boundary(f"environment {trajectory.env_id}", EnvError):
            env = self.make() if self.make else make_env(trajectory.env_id)
        try:
            yield _bare(env)
        finally:
            with contextlib.suppress(Exception):
                env.close()


def replayed(env: Env, trajectory: Trajectory) -> Iterator[Moment]:
    """Play the episode again: its moments in order, one more than it has steps.

    Raises:
        EnvError: the environment failed, or shows something else than was stored.
    """
    with boundary(f"environment {env}", EnvError):
        now = Moment(*env.reset(seed=trajectory.seed))
    for step in trajectory.steps:
        if step.index == 0:
            _require_same(trajectory, 0, now, step.state_key, step.observation)
        yield now
        now = acted(env, step.action.text)
        _require_same(trajectory, step.index + 1, now, step.next_state_key, step.next_observation)
    yield now


def acted(env: Env, action: str) -> Moment:
    """The moment after an action.

    Raises:
        EnvError: the environment failed.
    """
    with boundary(f"environment {env}", EnvError):
        observation, _, terminated, truncated, info = env.step(action)
    return Moment(observation, info, over=bool(terminated or truncated))


def _bare(env: Env) -> Env:
    """A `TextEnv` without wrappers, so that it can be saved and restored; any other as it is."""
    return env.unwrapped if isinstance(env.unwrapped, TextEnv) else env


def _require_same(trajectory: Trajectory, taken: int, now: Moment, state_key: str, observation: str) -> None:
    """States are compared by their keys, or by what is seen where there are none.

    Keys are not told: this error may end up in a verdict, and what is privileged must not.
    """
    if now.info.get("state_key", "") == state_key if state_key else now.observation == observation:
        return
    what = "the state is another" if state_key else f"what is seen is another: {abridged(now.observation)}"
    raise EnvError(
        f"trajectory {trajectory.id} cannot be played again: after {taken} steps {what}; make the environment with "
        "the version and settings of its run",
        trajectory.env_id,
    )
