"""`TextVectorEnv`: many text environments, stepped in this process one after another.

It keeps Gymnasium's contract of vector environments, so what drives a `SyncVectorEnv` drives it
too. There are no threads and no processes: a step of text costs less than handing it over. The
module knows no world.

The registration of each environment of this package names its vector entry point by the
environment's name: ``agentgym_critic.envs.vector:Sokoban-v0`` makes vectors of Sokoban.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agentgym_critic.envs import env_ids, make_env
from agentgym_critic.envs.base import Snapshot, TextEnv, option_dict, whole_seed
from agentgym_critic.envs.batch import batch_infos
from agentgym_critic.envs.ranges import whole
from agentgym_critic.errors import AgentGymError, ConfigError, EnvError, abridged

__all__ = ["TextVectorEnv", "VectorSnapshot", "make_vector_env"]

P = ParamSpec("P")
T = TypeVar("T")
Env: TypeAlias = gymnasium.Env[str, str]
Flags: TypeAlias = NDArray[np.bool_]


class VectorSnapshot(NamedTuple):
    """A saved moment of a `TextVectorEnv`: opaque, and immutable as long as the worlds' states are."""

    moments: tuple[Snapshot, ...]
    observations: tuple[str, ...]
    episodes: tuple[int, ...]
    over: tuple[bool, ...]


class TextVectorEnv(VectorEnv[tuple[str, ...], Sequence[str], NDArray[Any]]):
    """Independent `TextEnv`s, reset and stepped together.

    Observations are a tuple of strings and actions a sequence of strings, one per environment;
    rewards are float64 `[num_envs]`, terminations and truncations bool `[num_envs]`. Infos hold
    an array per key, as `batch_infos` makes them.

    When an episode is over, the mode decides about the next one of its environment:

    - ``NEXT_STEP``: the next step begins it; it ignores the action and gives reward 0
    - ``SAME_STEP``: it begins at once; ``"final_obs"`` and ``"final_info"`` in the infos are the last of the old one
    - ``DISABLED``: the caller begins it with ``reset(options={"reset_mask": ...})``

    Environments fall into groups of `group` copies, one after another in the vector. What a reset
    seeds by one number starts all copies of a group alike, so that they can be compared with each
    other; the n-th episode that a copy begins by itself afterwards is that of the others too.

    After an error the environments stand at different moments: reset or restore all of them. The
    vector pickles if they do.

    Args:
        env_fns: build the environments, a new one each; wrappers are kept.
        autoreset_mode: one of `AutoresetMode`, or its value: ``"NextStep"``, ``"SameStep"``, ``"Disabled"``.
        group: copies of one start; the number of environments is a multiple of it.

    Raises:
        ConfigError: there are no environments, they do not fall into groups, one is no `TextEnv`,
            their spaces differ, or a setting is refused. Messages name an environment by its index.
        EnvError: a constructor raised.
    """

    def __init__(
        self,
        env_fns: Iterable[Callable[[], Env]],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        group: int = 1,
    ) -> None:
        self.autoreset_mode = _known_mode(autoreset_mode)
        self.group = group
        self.envs: list[Env] = []
        try:
            for index, env_fn in enumerate(env_fns):
                self.envs.append(_run(index, env_fn))
            _require_alike(self.envs)
            _require_groups(len(self.envs), group)
        except BaseException:
            with suppress(EnvError):
                self.close()
            raise
        first = self.envs[0]
        self.num_envs = len(self.envs)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self._observations = [""] * self.num_envs
        self._episodes = [0] * self.num_envs
        self._over = [False] * self.num_envs
        self._together = False
        """Whether all environments stand at the same step: not before the first reset nor after an error."""

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        """A tuple of the environments' spaces, made when asked for: that takes as long as a dozen steps."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        """A tuple of the environments' spaces, made when it is asked for."""
        return batch_space(self.single_action_space, self.num_envs)

    @property  # type: ignore[misc] # the base has one generator; Gymnasium's own vectors have one per environment too
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The environments' generators."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """What the environments' generators were seeded with."""
        return self.get_attr("np_random_seed")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Start an episode in every environment, or in those of a mask.

        Args:
            seed: of the first group; the others get the numbers after it. Or a seed per group, or
                per environment, None where it draws one from the generator of its last seed: the
                first copy draws for its group, if the whole group is reset.
            options: of every episode, but for two keys: ``"reset_mask"``, bool `[num_envs]`, says
                which environments are reset, while the others stay as they are; ``"per_env"`` has
                further options for each environment, a dictionary or None.

        Returns:
            The observations of all environments, and the infos of those that were reset.

        Raises:
            ConfigError: seeds or options do not fit. Messages name an environment by its index.
            EnvError: an environment failed; or only some are to be reset, and never were all.
        """
        seeds = _seeds(seed, self.num_envs, self.group)
        shared = option_dict("options", options)
        mask = _mask(shared.pop("reset_mask", None), self.num_envs)
        own = _per_env("options['per_env']", shared.pop("per_env", [None] * self.num_envs), self.num_envs)
        each_has = [{**shared, **option_dict(f"options['per_env'][{i}]", each)} for i, each in enumerate(own)]
        if not mask.all():
            self._require_together("reset all environments before resetting some of them")
        begun = np.flatnonzero(mask).tolist()
        for index in begun:
            self._check_options(index, each_has[index])
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        with self._moving():
            self._draw_together(seeds, mask)
            for index in begun:
                infos[index] = self._begin(index, seeds[index], each_has[index])
        return tuple(self._observations), batch_infos(infos)

    def step(self, actions: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Carry out an action in every environment.

        Returns:
            Observations, rewards, terminations, truncations, infos.

        Raises:
            ConfigError: there is not one action per environment; nothing has changed.
            EnvError: an environment failed; the message names it by its index. Or the mode is
                ``DISABLED`` and an episode is over; nothing has changed.
        """
        actions = _per_env("actions", actions, self.num_envs)
        self._require_together("call reset() before step()")
        if self.autoreset_mode is AutoresetMode.DISABLED and any(self._over):
            which = np.flatnonzero(self._over).tolist()
            raise EnvError(f"the episodes of environments {which} are over; reset these before step()", repr(self))
        with self._moving():
            steps = [self._advance(index, action) for index, action in enumerate(actions)]
        rewards, terminations, truncations, infos = zip(*steps, strict=True)
        terminated, truncated = np.array(terminations, dtype=np.bool_), np.array(truncations, dtype=np.bool_)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._over = (terminated | truncated).tolist()
        return tuple(self._observations), np.array(rewards, dtype=np.float64), terminated, truncated, batch_infos(infos)

    def current(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        """The observations and infos of this moment, those of ended episodes included."""
        self._require_together("call reset() before current()")
        infos = [_run(index, world.current)[1] for index, world in enumerate(self._worlds())]
        return tuple(self._observations), batch_infos(infos)

    def snapshot(self) -> VectorSnapshot:
        """Save this moment of all environments, but not what wrappers around them count.

        Raises:
            EnvError: the environments stand at different moments.
        """
        self._require_together("call reset() before snapshot()")
        moments = tuple(_run(index, world.snapshot) for index, world in enumerate(self._worlds()))
        return VectorSnapshot(moments, tuple(self._observations), tuple(self._episodes), tuple(self._over))

    def restore(self, snapshot: VectorSnapshot) -> None:
        """Return to a saved moment; valid until an environment begins another episode.

        Raises:
            EnvError: the snapshot is of other episodes; nothing has changed.
        """
        if not isinstance(snapshot, VectorSnapshot):
            raise EnvError(f"restore() takes what snapshot() gave, got {type(snapshot).__name__}", repr(self))
        if len(snapshot.moments) != self.num_envs:
            what = f"the snapshot is of {len(snapshot.moments)} environments, the vector has {self.num_envs}"
            raise EnvError(what, repr(self))
        if others := np.flatnonzero(np.not_equal(snapshot.episodes, self._episodes)).tolist():
            what = f"the snapshot is of other episodes than those that run: {others} have begun anew"
            raise EnvError(what, repr(self))
        pairs = list(zip(self._worlds(), snapshot.moments, strict=True))
        for index, (world, moment) in enumerate(pairs):
            _run(index, world._require_own, moment)
        with self._moving():
            for index, (world, moment) in enumerate(pairs):
                _run(index, world.restore, moment)
            self._observations, self._over = list(snapshot.observations), list(snapshot.over)

    def render(self) -> tuple[Any, ...]:
        """What each environment renders."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each environment: ``call("oracle")``; an attribute's value is returned."""
        self._require_open()
        found = enumerate(self.get_attr(name))
        return tuple(_run(index, each, *args, **kwargs) if callable(each) else each for index, each in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each environment.

        Raises:
            EnvError: an environment has none.
        """
        return tuple(_run(index, env.get_wrapper_attr, name) for index, env in enumerate(self.envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each environment: a list or tuple has one value each, all else is for all."""
        self._require_open()
        listed = values if isinstance(values, list | tuple) else [values] * self.num_envs
        for env, value in zip(self.envs, _per_env("values", listed, self.num_envs), strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **_: Any) -> None:
        """Close every environment, whatever others raise; then the first of their errors is raised."""
        self.closed = True
        errors = []
        for index, env in enumerate(self.envs):
            try:
                _run(index, env.close)
            except AgentGymError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _check_options(self, index: int, options: dict[str, Any]) -> None:
        """Refuse what an environment would, before any is reset; a wrapper may know options of its own."""
        env = self.envs[index]
        if isinstance(env, TextEnv):
            _run(index, env._check_options, options)

    def _draw_together(self, seeds: list[int | None], mask: Flags) -> None:
        """Give the copies of a group one seed, drawn by the first of them, where all have none and all are reset."""
        for first in range(0, self.num_envs if self.group > 1 else 0, self.group):
            copies = slice(first, first + self.group)
            if mask[copies].all() and set(seeds[copies]) == {None}:
                seeds[copies] = [int(self.envs[first].unwrapped.np_random.integers(2**31))] * self.group

    def _begin(self, index: int, seed: int | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Start an episode in one environment; returns its info."""
        self._episodes[index] += 1
        self._observations[index], info = _run(index, self.envs[index].reset, seed=seed, options=options)
        self._over[index] = False
        return info

    def _advance(self, index: int, action: str) -> tuple[float, bool, bool, dict[str, Any]]:
        """Step one environment, or begin its next episode; returns reward, termination, truncation, info."""
        if self._over[index]:
            return 0.0, False, False, self._begin(index)
        observation, reward, terminated, truncated, info = _run(index, self.envs[index].step, action)
        if (terminated or truncated) and self.autoreset_mode is AutoresetMode.SAME_STEP:
            info = {**self._begin(index), "final_obs": observation, "final_info": info}
        else:
            self._observations[index] = observation
        return float(reward), terminated, truncated, info

    @contextmanager
    def _moving(self) -> Iterator[None]:
        """While some environments have moved on and others have not; so it stays after an error."""
        self._require_open()
        self._together = False
        yield
        self._together = True

    def _require_open(self) -> None:
        if self.closed:
            raise EnvError("the vector is closed; make a new one", repr(self))

    def _require_together(self, otherwise: str) -> None:
        self._require_open()
        if not self._together:
            raise EnvError(f"{otherwise}: the environments were never started, or an error left them apart", repr(self))

    def _worlds(self) -> list[TextEnv]:
        return [cast(TextEnv, env.unwrapped) for env in self.envs]


def make_vector_env(
    env_id: str,
    num_envs: int = 1,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    group: int = 1,
    **settings: Any,
) -> TextVectorEnv:
    """Build a vector of environments with the same settings.

    Args:
        env_id: as `make_env` takes it.
        num_envs: how many.
        autoreset_mode: see `TextVectorEnv`.
        group: copies of one start, for what compares them with each other; see `TextVectorEnv`.
        settings: keyword arguments of the environment.

    Raises:
        UnknownIdError: no such id; the message names the nearest.
        ConfigError: the vector or the environment refuses the settings.
        EnvError: the environment's constructor raised.
    """
    whole("num_envs", num_envs, 1)
    mode = _known_mode(autoreset_mode)
    _require_groups(num_envs, group)
    build = partial(make_env, env_id, **settings)
    first = build()  # what is wrong with the settings is wrong with no one environment
    return TextVectorEnv([lambda: first, *(build for _ in range(1, num_envs))], autoreset_mode=mode, group=group)


def __getattr__(name: str) -> Callable[..., TextVectorEnv]:
    """The vector entry point of an environment of this package."""
    if (env_id := f"agentgym_critic/{name}") not in env_ids():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(make_vector_env, env_id)


def _run(index: int, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call what is an environment's own; an error names the environment."""
    try:
        return call(*args, **kwargs)
    except ConfigError as cause:
        raise ConfigError(f"environment {index}: {cause}") from cause
    except AgentGymError as cause:
        raise EnvError(f"environment {index}: {cause}", f"environment {index}") from cause
    except Exception as cause:
        text = f"environment {index} raised {type(cause).__name__}: {cause}"
        raise EnvError(text, f"environment {index}") from cause


def _require_alike(envs: Sequence[Env]) -> None:
    if not envs:
        raise ConfigError("a vector has at least one environment, got none")
    if len({id(env.unwrapped) for env in envs}) < len(envs):
        raise ConfigError("an environment is in the vector twice; each function builds a new one")
    spaces = envs[0].observation_space, envs[0].action_space
    for index, env in enumerate(envs):
        if not isinstance(env.unwrapped, TextEnv):
            raise ConfigError(f"environment {index} is {env}, no TextEnv; use gymnasium.vector.SyncVectorEnv")
        if (env.observation_space, env.action_space) != spaces:
            seen = f"{env.observation_space} and {env.action_space}"
            raise ConfigError(f"the spaces of environment {index} are {seen}, those of the first {spaces}")


def _require_groups(num_envs: int, group: int) -> None:
    whole("group", group, 1)
    if num_envs % group:
        raise ConfigError(f"{num_envs} environments do not fall into groups of {group}; take a multiple of {group}")


def _known_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError as cause:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ConfigError(f"autoreset_mode is one of {known}, or an AutoresetMode; got {mode!r}") from cause


def _seeds(seed: Any, num_envs: int, group: int) -> list[int | None]:
    if seed is None:
        return [None] * num_envs
    with suppress(TypeError):
        operator.index(seed)
        return [whole_seed(seed) + index // group for index in range(num_envs)]
    if isinstance(seed, Sequence) and not isinstance(seed, str) and len(seed) * group == num_envs:
        seed = [each for each in seed for _ in range(group)]
    return [None if each is None else whole_seed(each) for each in _per_env("seed", seed, num_envs)]


def _mask(mask: Any, num_envs: int) -> Flags:
    if mask is None:
        return np.ones(num_envs, dtype=np.bool_)
    flags = np.asarray(mask)
    if flags.shape != (num_envs,) or flags.dtype != np.bool_ or not flags.any():
        raise ConfigError(f"options['reset_mask'] has {num_envs} booleans, at least one of them True; got {mask!r}")
    return flags


def _per_env(name: str, values: Any, num_envs: int) -> list[Any]:
    if isinstance(values, Set):
        raise ConfigError(f"{name}: a list, since a set has no order; got {abridged(values)}")
    listed = hasattr(values, "__len__") and not isinstance(values, str | bytes | bytearray | Mapping)
    if not listed or len(values) != num_envs:
        raise ConfigError(f"{name}: one for each of the {num_envs} environments; got {abridged(values)}")
    return list(values)
