"""`Simulator`: the environment as a search and its critics see it. Every step is counted, none goes over the budget."""

from __future__ import annotations

from typing import Any

from agentgym_critic.agents.search.budget import Meter

__all__ = ["Simulator"]


class Simulator:
    """Stands for an environment; all that it does not count is the environment's own.

    Args:
        env: can be saved and restored.
        meter: counts.
    """

    def __init__(self, env: Any, meter: Meter) -> None:
        self._env, self._meter = env, meter

    def step(self, action: str) -> Any:
        """What the environment does with an action.

        Raises:
            BudgetSpentError: no step is left.
        """
        self._meter.step()
        return self._env.step(action)

    def __getattr__(self, name: str) -> Any:
        """What the environment has."""
        if name.startswith("_"):  # while it is unpickled there is no environment to ask
            raise AttributeError(name)
        return getattr(self._env, name)

    def __repr__(self) -> str:
        """The environment's."""
        return repr(self._env)
