"""Play on from the moment an environment is in, and take it back. Knows no critic."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import msgspec

from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Action, Cost, Exchange, Turn

__all__ = ["Played", "Policy", "RandomPolicy", "play_on", "seed_of", "seen_now", "taken_back", "turn_after"]


class Policy(Protocol):
    """What chooses the actions: an agent, for example."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def reset(self, seed: int) -> None:
        """Forget what was played; draw all randomness from `seed`."""
        ...

    def propose(self, turn: Turn) -> Action:
        """The action to play now."""
        ...


class RandomPolicy:
    """Picks uniformly among the legal actions."""

    id = "random"

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Draw the picks from `seed`."""
        self._rng = random.Random(seed)  # noqa: S311 - a game, not a secret

    def propose(self, turn: Turn) -> Action:
        """One legal action.

        Raises:
            ConfigError: they cannot be listed.
        """
        if not turn.admissible_actions:
            raise ConfigError(
                "random rollouts pick from the listed actions, and this environment lists none; give a policy that "
                "writes its own"
            )
        return Action(text=self._rng.choice(turn.admissible_actions))


class Played(NamedTuple):
    """What came of playing on."""

    rewards: list[float]
    """One for each step."""
    success: bool
    cost: Cost
    """Of the policy."""
    path: tuple[tuple[str, str], ...] = ()
    """For each step the `state_key` before it, and the action."""


@contextmanager
def taken_back(env: Any) -> Iterator[Any]:
    """A snapshot of the environment, which is restored at the end of the block, whatever happens in it."""
    snapshot = env.snapshot()
    try:
        yield snapshot
    finally:
        env.restore(snapshot)


def play_on(env: Any, turn: Turn, first: str | None, policy: Policy, limit: int) -> Played:
    """Play until the episode ends, at most `limit` steps.

    Args:
        env: is stepped, and not taken back.
        turn: what is known now.
        first: the action that begins; None for the policy's own.
        policy: chooses the others; it has been reset.
        limit: in steps, at least 1.
    """
    rewards: list[float] = []
    path: list[tuple[str, str]] = []
    cost, ended, info = Cost(), False, env.current()[1]
    while not ended and len(rewards) < limit:
        if first is not None and not rewards:
            action = Action(text=first)
        else:
            action = policy.propose(turn)
            cost += action.cost
        path.append((str(info.get("state_key", "")), action.text))
        observation, reward, terminated, truncated, info = env.step(action.text)
        rewards.append(float(reward))
        turn = turn_after(turn, action.text, observation, info)
        ended = terminated or truncated
    return Played(rewards, bool(ended and info.get("success")), cost, tuple(path))


def turn_after(turn: Turn, action: str, observation: str, info: dict[str, Any]) -> Turn:
    """What is known a step later."""
    reason = str(info.get("invalid_reason") or "")
    past = Exchange(observation=turn.observation, action=action, invalid_reason=reason)
    return Turn(
        task=turn.task,
        observation=observation,
        admissible_actions=_listed(info),
        history=(*turn.history, past),
        index=turn.index + 1,
        steps_left=None if turn.steps_left is None else turn.steps_left - 1,
    )


def seen_now(env: Any, turn: Turn) -> tuple[Turn, dict[str, Any]]:
    """The turn with what the environment itself shows now, and its `info`."""
    if not all(callable(getattr(env, name, None)) for name in ("snapshot", "restore", "current", "step")):
        raise EnvError(f"{env} cannot be saved and restored, so nothing can be tried in it", str(env))
    observation, info = env.current()
    now = msgspec.structs.replace(
        turn, observation=observation, admissible_actions=_listed(info), advice="", rejected=()
    )
    return now, info


def _listed(info: dict[str, Any]) -> tuple[str, ...] | None:
    listed = info.get("admissible_actions")
    return None if listed is None else tuple(listed)


def seed_of(*parts: object) -> int:
    """A seed for what these parts name, the same in any process."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=4).digest(), "little") >> 1
