"""`CliffWalkingEnv`: Gymnasium's CliffWalking in words."""

from __future__ import annotations

from typing import Any

from gymnasium.envs.toy_text import cliffwalking as original

from agentgym_critic.envs.adapter import AdaptedEnv, copy_shallow
from agentgym_critic.envs.toytext.grid import picture, place

__all__ = ["CliffWalkingEnv"]

ACTIONS = ("up", "right", "down", "left")
"""In Gymnasium's order."""


class CliffWalkingEnv(AdaptedEnv):
    """Walk from the start along a cliff to the goal.

    Rewards are Gymnasium's: -1 a step, -100 for a step over the cliff, which leads back to the
    start. There is one task only.

    Args:
        is_slippery: whether a move goes to each side of where it should with probability 1/3.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    single_task = True
    """Whether all seeds begin alike."""

    def __init__(
        self, *, is_slippery: bool = False, max_steps: int | None = 200, render_mode: str | None = None
    ) -> None:
        self.is_slippery = bool(is_slippery)
        self._variant = f" with is_slippery={self.is_slippery}"
        super().__init__(
            original.CliffWalkingEnv(is_slippery=self.is_slippery),
            _describe,
            ACTIONS,
            task=_goal(self.is_slippery),
            task_id=_task_id,
            success=_at_goal,
            state=_cell,
            copy=copy_shallow,
            max_steps=max_steps,
            render_mode=render_mode,
        )

    def _view(self) -> str:
        fell = "You fell off the cliff and are back at the start. " if self._reward == -100 else ""
        return f"{fell}{super()._view()}"


def _describe(env: Any, cell: Any) -> str:
    columns = env.shape[1]
    row, col = divmod(int(cell), columns)
    symbols = ["C" if cliff else "o" for cliff in env._cliff.flat]
    symbols[int(env.start_state_index)], symbols[-1] = "S", "G"
    rows = ["".join(symbols[first : first + columns]) for first in range(0, len(symbols), columns)]
    there = "You have reached the goal. " if _at_goal(env, cell, 0.0) else ""
    return f"{there}You are at {place(row, col)}.\n{picture(rows, row, col)}"


def _goal(is_slippery: bool) -> str:
    slide = "The ground is slippery: a move goes where you want, or to one side of that, each with probability 1/3. "
    return (
        "Walk from S to G in as few steps as you can. You move up, right, down or left; a move off the field leaves "
        "you where you are, and a step onto the cliff is very costly and leads back to S. "
        f"{slide if is_slippery else ''}Symbols: S start, o ground, C cliff, G goal, @ you."
    )


def _task_id(env: Any) -> str:
    return f"cliff-walking{'-slippery' if env.is_slippery else ''}"


def _at_goal(env: Any, cell: Any, reward: float) -> bool:
    return int(cell) == int(env.nS) - 1


def _cell(env: Any) -> int:
    return int(env.s)
