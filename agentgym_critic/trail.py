"""`Trail`: how far an episode has come: what the environment shows now, the steps that led here, the way back.

Knows environments as Gymnasium's, but for taking a step back, which needs a `TextEnv`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import gymnasium

from agentgym_critic.decide import Decision
from agentgym_critic.envs.base import Snapshot, TextEnv
from agentgym_critic.errors import EnvError, boundary
from agentgym_critic.types import EndReason, Exchange, Step, Turn, exchange

__all__ = ["Trail"]


class Trail:
    """An episode under way.

    Args:
        env: the environment; an episode is started.
        seed: of the episode.
        undoable: whether steps will be taken back; the environment is then a `TextEnv`.

    Raises:
        EnvError: the environment failed.
    """

    def __init__(self, env: gymnasium.Env[str, str], seed: int, *, undoable: bool = False) -> None:
        self._env, self._undoable = env, undoable
        self.steps: list[Step] = []
        self._history: list[Exchange] = []
        self._steps_taken = 0  # undone ones included
        self._before: tuple[_Scene, Snapshot] | None = None  # the moment before the last step
        with boundary(f"environment {env}", EnvError):
            observation, info = env.reset(seed=seed)
            self._scene = self._seen(observation, info, getattr(env.unwrapped, "max_steps", None))

    @property
    def task(self) -> str:
        """The goal in words."""
        return str(self._scene.info.get("task", ""))

    @property
    def task_id(self) -> str:
        """Which task of the environment this is."""
        return str(self._scene.info.get("task_id", ""))

    @property
    def end(self) -> EndReason | None:
        """Why the environment ended the episode; None if it goes on."""
        return _end(self.steps[-1]) if self.steps else None

    def turn(self) -> Turn:
        """What an agent or critic may know now."""
        return Turn(
            task=self.task,
            observation=self._scene.observation,
            admissible_actions=self._scene.admissible,
            history=tuple(self._history),
            index=len(self.steps),
            steps_left=self._scene.steps_left,
        )

    def act(self, decision: Decision) -> Step:
        """Carry out what was decided.

        Raises:
            EnvError: the environment failed, or its answer cannot be stored.
        """
        env, before = self._env, self._scene
        with boundary(f"environment {env}", EnvError):
            if self._undoable:
                self._before = before, _restorable(env).snapshot()
            observation, reward, terminated, truncated, info = env.step(decision.action.text)
            left = None if before.steps_left is None else before.steps_left - 1
            after = self._seen(observation, info, left)
            reward = float(reward)
        if not math.isfinite(reward):
            raise EnvError(f"{env} gave the reward {reward!r}; a reward is a finite number", str(env))
        step = Step(
            index=len(self.steps),
            observation=before.observation,
            admissible_actions=before.admissible,
            action=decision.action,
            verdict=decision.verdict,
            interventions=decision.interventions,
            next_observation=after.observation,
            reward=reward,
            terminated=bool(terminated),
            truncated=bool(truncated),
            success=bool(info.get("success", False)),
            invalid_action=bool(info.get("invalid_action", False)),
            invalid_reason=str(info.get("invalid_reason") or ""),
            state_key=str(before.info.get("state_key", "")),
            next_state_key=str(info.get("state_key", "")),
        )
        self.steps.append(step)
        self._history.append(exchange(step))
        self._scene, self._steps_taken = after, self._steps_taken + 1
        return step

    def undo(self) -> tuple[Step, Turn]:
        """Take the last step back, but not the time it took: the step limit stays as near as it is.

        Returns:
            The step, which is no longer among `steps`, and the turn in which it was taken.

        Raises:
            EnvError: the environment failed.
        """
        assert self._before is not None, "there is a step to take back, and the one before was not taken back"
        (scene, moment), self._before = self._before, None
        with boundary(f"environment {self._env}", EnvError):
            _restorable(self._env).restore(moment._replace(steps_taken=self._steps_taken))
        self._scene = scene._replace(steps_left=self._scene.steps_left)
        self._history.pop()
        return self.steps.pop(), self.turn()

    def _seen(self, observation: object, info: dict[str, Any], steps_left: int | None) -> _Scene:
        """What the environment shows, checked: records do not check their types when they are made."""
        env = self._env
        if not isinstance(observation, str):
            raise EnvError(f"{env} gave the observation {observation!r}; observations are strings", str(env))
        admissible = info.get("admissible_actions")
        if admissible is not None and not all(isinstance(action, str) for action in admissible):
            raise EnvError(f"{env} listed the admissible actions {admissible!r}; actions are strings", str(env))
        return _Scene(str(observation), info, steps_left)  # a plain str, whatever kind of text it was


class _Scene(NamedTuple):
    """What the environment shows at some moment."""

    observation: str
    info: dict[str, Any]
    steps_left: int | None

    @property
    def admissible(self) -> tuple[str, ...] | None:
        listed = self.info.get("admissible_actions")
        return None if listed is None else tuple(map(str, listed))


def _end(step: Step) -> EndReason | None:
    if step.success and (step.terminated or step.truncated):
        return "success"
    if step.terminated:
        return "failure"
    return "step_limit" if step.truncated else None


def _restorable(env: gymnasium.Env[str, str]) -> TextEnv:
    assert isinstance(env.unwrapped, TextEnv), "the loop refuses to undo steps of any other"
    return env.unwrapped
