"""What the rules share: fresh environments, random episodes, and how two episodes differ."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

import gymnasium
from gymnasium.utils.env_checker import data_equivalence

from agentgym_critic.envs.base import TextEnv

__all__ = ["GIBBERISH", "Bench", "Moment", "Rule", "changed", "compare", "go_on", "play", "same", "shown"]

GIBBERISH = "xyzzy frobnicate"
"""An action that is legal in no environment with a list of admissible ones."""

ILLEGAL_SHARE = 0.1
"""Chance that a random episode tries an illegal action."""


class Moment(NamedTuple):
    """What `reset` or `step` gave, and for what."""

    action: str | None
    """None for `reset`."""
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any

    @property
    def over(self) -> bool:
        """Whether the episode ended here."""
        return bool(self.terminated or self.truncated)


class Bench:
    """Environments to try, and the episodes they are expected to repeat."""

    def __init__(
        self,
        make: Callable[[], gymnasium.Env[str, str]],
        seeds: tuple[int, ...],
        steps: int,
        single_task: bool,
        another_process: bool,
    ) -> None:
        self._make = make
        self.seeds = seeds
        self.steps = steps
        self.single_task = single_task
        self.another_process = another_process
        self._episodes: dict[int, list[Moment]] = {}

    @contextmanager
    def fresh(self) -> Iterator[TextEnv]:
        """A new environment, closed afterwards."""
        env = self._make().unwrapped
        assert isinstance(env, TextEnv), f"make() built a {type(env).__name__}"
        try:
            yield env
        finally:
            env.close()

    def episode(self, seed: int) -> list[Moment]:
        """A seed's random episode as a fresh environment played it once."""
        if seed not in self._episodes:
            with self.fresh() as env:
                self._episodes[seed] = list(play(env, seed, self.steps))
        return self._episodes[seed]


Rule: TypeAlias = Callable[[Bench], Iterator[str]]


def play(env: TextEnv, seed: int | None, steps: int) -> Iterator[Moment]:
    """A random episode; the seed also decides the actions."""
    observation, info = env.reset(seed=seed)
    start = Moment(None, observation, 0.0, False, False, info)
    yield start
    yield from go_on(env, start.info, steps, random.Random(seed or 0))  # noqa: S311 -- no secret


def go_on(env: TextEnv, info: dict[str, Any], steps: int, rng: random.Random) -> Iterator[Moment]:
    """Up to `steps` random actions from a moment with this `info`, until the episode ends."""
    for _ in range(steps):
        action = _choose(env, info.get("admissible_actions"), rng)
        moment = Moment(action, *env.step(action))
        yield moment
        if moment.over:
            return
        info = moment.info


def _choose(env: TextEnv, admissible: Any, rng: random.Random) -> str:
    if rng.random() < ILLEGAL_SHARE:
        return GIBBERISH
    if admissible is None:
        known = env.oracle()
        admissible = known.actions if known else None
    return str(rng.choice(admissible)) if admissible else "look"


def compare(expected: list[Moment], played: list[Moment]) -> str:
    """The first difference of two episodes in words; empty if there is none."""
    first = 0 if expected and expected[0].action is None else 1
    for number, (left, right) in enumerate(zip_longest(expected, played), start=first):
        if left is None or right is None:
            return f"one episode had {len(expected)} moments, the other {len(played)}"
        for name, was, now in zip(Moment._fields, left, right, strict=True):
            if not same(was, now):
                place = f"step {number}" if number else "reset"
                return f"the {name} of {place} was {_differing(was, now)}"
    return ""


def changed(before: tuple[Any, Any], after: tuple[Any, Any]) -> str:
    """What `current` tells differently now, in words; empty if nothing."""
    for name, was, now in zip(("observation", "info"), before, after, strict=True):
        if not same(was, now):
            return f"the {name} was {_differing(was, now)}"
    return ""


def same(left: Any, right: Any) -> bool:
    """Whether two values are exactly equal, arrays included."""
    return data_equivalence(left, right, exact=True)


def _differing(was: Any, now: Any) -> str:
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [key for key in {**was, **now} if not same(was.get(key), now.get(key))]
        was, now = ({key: side.get(key) for key in keys} for side in (was, now))
    return f"{shown(was)} and then {shown(now)}"


def shown(value: Any) -> str:
    """A value as it fits into a line."""
    text = ascii(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
