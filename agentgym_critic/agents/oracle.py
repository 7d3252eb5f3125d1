"""`OracleAgent`: follows the environment's solver. Privileged: for demonstrations and evaluation only."""

from __future__ import annotations

import random
from typing import Any

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.errors import AgentError, EnvError, boundary
from agentgym_critic.types import Action, Oracle, Turn

__all__ = ["OracleAgent"]


class OracleAgent:
    """Does what the solver of the environment says is a shortest way to success.

    Args:
        sample: pick among several optimal actions by seed; otherwise always the first.
    """

    def __init__(self, *, sample: bool = False) -> None:
        self._sample = sample
        self._env: Any = None
        self.reset(0)

    @property
    def id(self) -> str:
        """The name, and whether it samples."""
        return "oracle(sample)" if self._sample else "oracle"

    def attach(self, env: Any) -> None:
        """Take the environment whose solver to follow.

        Raises:
            AgentError: it has none.
        """
        if not callable(getattr(env, "oracle", None)) or getattr(type(env), "oracle", None) is TextEnv.oracle:
            raise AgentError(f"the environment {env!r} has no oracle() to follow", self.id)
        self._env = env

    def reset(self, seed: int) -> None:
        """Draw the choices among equally good actions from `seed`."""
        self._rng = random.Random(seed)  # noqa: S311 - a game, not a secret

    def propose(self, turn: Turn) -> Action:
        """An optimal action of the state the environment is in.

        Raises:
            AgentError: no environment is attached, or its solver knows no way from here.
        """
        actions = self._ask(turn).actions
        return Action(text=self._rng.choice(actions) if self._sample else actions[0])

    def _ask(self, turn: Turn) -> Oracle:
        if self._env is None:
            raise AgentError("the oracle agent sees no environment; call attach(env) first", self.id)
        with boundary(f"oracle of {self._env!r}", EnvError):
            oracle: Oracle | None = self._env.oracle()
        if oracle is None or not oracle.actions:
            raise AgentError(f"the oracle of {self._env!r} knows no way to success from step {turn.index}", self.id)
        return oracle
