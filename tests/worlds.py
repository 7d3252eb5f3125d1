"""Tiny environments of the tests' own."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.types import Oracle


class CorridorEnv(TextEnv):
    """A corridor of cells; the goal is at the right end, the start left of it by the seed."""

    def __init__(self, *, length: int = 6, max_steps: int | None = 20, render_mode: str | None = None) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        self.length, self.cell = length, 0

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.cell = int(rng.integers(self.length - 1))
        return self._view()

    def _act(self, action: str) -> Outcome:
        self.cell += 1 if action == "right" else -1
        won = self.cell == self.length - 1
        return Outcome(self._view(), float(won), won, won)

    def _admissible(self) -> list[str]:
        return ["left", "right"] if self.cell else ["right"]

    def _view(self) -> str:
        return f"You are in cell {self.cell}."

    def _get_world(self) -> int:
        return self.cell

    def _set_world(self, world: int) -> None:
        self.cell = world

    def _state_key(self) -> str:
        return f"{self.length}:{self.cell}"

    def _task(self) -> tuple[str, str]:
        return f"corridor-{self.length}", f"Reach cell {self.length - 1}."

    def oracle(self) -> Oracle:
        left = self.length - 1 - self.cell
        return Oracle(actions=("right",) if left else (), steps_left=left)


class BrittleEnv(CorridorEnv):
    """A corridor that breaks down in cell 3."""

    def _act(self, action: str) -> Outcome:
        if self.cell == 3:
            raise RuntimeError("the floor gave way")
        return super()._act(action)


CORRIDOR, BRITTLE = "agentgym_critic_tests/Corridor-v0", "agentgym_critic_tests/Brittle-v0"
for _id, _class in ((CORRIDOR, CorridorEnv), (BRITTLE, BrittleEnv)):
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point=_class, order_enforce=False, disable_env_checker=True)
