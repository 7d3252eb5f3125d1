"""The way to success that an environment's solver finds from an episode's start, as text. Privileged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentgym_critic.critics.replica import Env, Replica, acted, replayed
from agentgym_critic.errors import CriticError, EnvError, boundary
from agentgym_critic.types import Oracle, Trajectory

__all__ = ["SolverSolution"]


class SolverSolution:
    """A function of a trajectory: the actions of a shortest way from where it began, one a line.

    The world is a second copy: from `make_env`, the attached one, or the trajectory's environment id
    with its usual settings.

    Args:
        make_env: builds an environment as the trajectory was made in.
        max_steps: longest way that is written down.
    """

    def __init__(self, make_env: Callable[[], Env] | None = None, *, max_steps: int = 200) -> None:
        self._replica, self._max_steps = Replica(make_env), max_steps

    def attached_to(self, env: Env) -> SolverSolution:
        """One like this that uses `env` where it has no factory."""
        own = SolverSolution(self._replica.make, max_steps=self._max_steps)
        own._replica = self._replica._replace(env=env)
        return own

    def __call__(self, trajectory: Trajectory) -> str:
        """The way, numbered.

        Raises:
            CriticError: the environment has no solver, or it did not succeed.
            EnvError: the environment cannot be built, or is another than the trajectory's.
        """
        with self._replica.opened(trajectory) as env:
            now, actions = next(replayed(env, trajectory)), list[str]()
            while not now.over and not now.success and len(actions) < self._max_steps:
                actions.append(_best(env.unwrapped, trajectory))
                now = acted(env, actions[-1])
        if not now.success:
            raise CriticError(
                f"the solver of {trajectory.env_id} did not succeed in {len(actions)} steps; give a function of the "
                "trajectory that tells the solution",
                "retrospective",
            )
        return "\n".join(f"{number}. {action}" for number, action in enumerate(actions, start=1)) or "(nothing to do)"


def _best(world: Any, trajectory: Trajectory) -> str:
    with boundary(f"environment {world}", EnvError):
        oracle: Oracle | None = world.oracle() if hasattr(world, "oracle") else None
    if oracle is None or not oracle.actions:
        raise CriticError(
            f"{trajectory.env_id} has no solver, or it knows no way from here; give a function of the trajectory that "
            "tells the solution",
            "retrospective",
        )
    return oracle.actions[0]
