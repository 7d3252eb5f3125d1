"""`BabyAIEnv`: a level of BabyAI as a text environment. Levels, words and bot are elsewhere in this folder."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import Any, Literal

import numpy as np

from agentgym_critic.envs.adapter import AdaptedEnv, state_digest
from agentgym_critic.envs.babyai.bot import find_way, seen_cells
from agentgym_critic.envs.babyai.levels import copy_level, level_state, make_level
from agentgym_critic.envs.babyai.words import ACTIONS, describe, goal, refusal
from agentgym_critic.envs.base import Outcome
from agentgym_critic.envs.plan import Plan
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Oracle

__all__ = ["BabyAIEnv"]


class BabyAIEnv(AdaptedEnv):
    """An errand in a grid of rooms, seen through the eyes of the one who runs it.

    The reward is minigrid's: for success 1 - 0.9 * steps / step limit, else 0. Some levels end
    without success after a wrong move. An action that would change nothing is refused.

    Args:
        level: a level of minigrid by name, for example ``"GoToLocal"``: see `level_names`.
        max_steps: steps until the episode is truncated, which the reward depends on; ``"own"``
            for minigrid's limit of each mission.
        render_mode: ``"ansi"`` or None.

    Raises:
        UnknownIdError: no such level.
        ConfigError: a setting is refused.
        MissingExtraError: minigrid is not installed.
    """

    def __init__(
        self, *, level: str = "GoToLocal", max_steps: int | Literal["own"] = "own", render_mode: str | None = None
    ) -> None:
        if max_steps is None:
            raise ConfigError("max_steps is at least 1, or 'own': the rewards of BabyAI need a limit; got None")
        env = make_level(level)
        self.level = level
        self._variant = f" with level={level} and max_steps={max_steps}"
        self._own_limit = max_steps == "own"
        super().__init__(
            env,
            describe,
            ACTIONS,
            task=goal,
            task_id=partial(_task_id, level),
            refuse=refusal,
            state=level_state,
            copy=copy_level,
            max_steps=env.room_size**2 * env.num_rows * env.num_cols if max_steps == "own" else max_steps,
            render_mode=render_mode,
        )
        env.fixed_max_steps, env.max_steps = not self._own_limit, self.max_steps
        self._known = np.zeros((0, 0), dtype=bool)
        self._plan: Plan | None = None
        self._planned = False
        self.env_version = f"minigrid {version('minigrid')}"

    def oracle(self) -> Oracle | None:
        """The next action of a way to success that minigrid's bot finds; None where it finds none.

        Not always the shortest way (`exact` is false), and checked to succeed.
        """
        if self._success:
            return Oracle(actions=(), steps_left=0)
        if not self._planned and self._running:
            way = find_way(self.inner, self._known)
            self._plan, self._planned = None if way is None else Plan(way), True
        return self._plan.oracle() if self._plan else None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        observation = super()._begin(rng, options)
        self.max_steps = int(self.inner.max_steps)
        self._plan, self._planned = None, False
        self._known = seen_cells(self.inner, self._seen["image"])
        return observation

    def _act(self, action: str) -> Outcome:
        self.inner.step_count = self._steps_taken  # refused actions count too
        outcome = super()._act(action)
        self._known = self._known | seen_cells(self.inner, self._seen["image"])
        self._plan = self._plan.after(action) if self._plan else None
        self._planned = self._plan is not None
        self._spent = False  # the base class counts the same limit
        return outcome

    def _get_world(self) -> Any:
        return super()._get_world(), self._known, self._plan, self._planned

    def _set_world(self, world: Any) -> None:
        level, self._known, self._plan, self._planned = world
        super()._set_world(level)
        self.max_steps = int(self.inner.max_steps)


def _task_id(level: str, env: Any) -> str:
    return f"{level}-{state_digest(level_state(env))[:16]}"
