"""A way to complete a BabyAI mission, from minigrid's own bot, played in a copy of the level.

The bot is a good player, not an optimal one, and it does not know how to go on everywhere. Its way
is told only if it succeeds in the copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.envs.babyai.levels import copy_level
from agentgym_critic.envs.babyai.words import ACTIONS, refusal
from agentgym_critic.errors import require

__all__ = ["find_way", "seen_cells"]

NAMES = {number: name for name, number in ACTIONS.items()}

THOUGHTS = 200
"""Changes of plan between two actions after which the bot goes in circles."""


class _Circles(Exception):  # noqa: N818 -- caught here, never seen elsewhere
    """The bot changes its plan without end."""


class _Stack(list[Any]):
    """The bot's subgoals; raises if they are changed too often without an action."""

    thoughts = 0

    def append(self, subgoal: Any) -> None:
        """Add a subgoal."""
        self.thoughts += 1
        if self.thoughts > THOUGHTS:
            raise _Circles
        super().append(subgoal)


def find_way(env: Any, known: NDArray[np.bool_]) -> tuple[str, ...] | None:
    """The actions of the shortest way that the bot finds in a few attempts; None if it finds none.

    Args:
        env: the level, as it is now; it is not changed.
        known: bool ``[columns, rows]``: the cells that have been seen so far. The bot explores from
            there; in a first attempt it knows all cells, which helps within a room.
    """
    ways = [way for way in _attempts(env, known) if way is not None]
    return min(ways, key=len, default=None)


def seen_cells(env: Any, view: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The cells of the level that a view shows: bool ``[columns, rows]``."""
    seen = np.zeros((env.width, env.height), dtype=bool)
    columns, rows = np.nonzero(view[..., 0])
    ahead, right = view.shape[1] - 1 - rows, columns - view.shape[0] // 2
    places = np.asarray(env.agent_pos) + np.outer(ahead, env.dir_vec) + np.outer(right, env.right_vec)
    inside = ((places >= 0) & (places < seen.shape)).all(axis=1)
    seen[tuple(places[inside].T)] = True
    return seen


def _attempts(env: Any, known: NDArray[np.bool_]) -> Iterator[tuple[str, ...] | None]:
    """The bot with a map and without; if neither helps and something is carried, having dropped that."""
    ways = [_attempt(env, mask, ()) for mask in (np.ones_like(known), known)]
    yield from ways
    if not any(ways) and not refusal(env, "drop"):
        yield _attempt(env, known, ("drop",))


def _attempt(env: Any, known: NDArray[np.bool_], first: tuple[str, ...]) -> tuple[str, ...] | None:
    level = copy_level(env)
    level.step_count = 0
    for action in first:
        if level.step(ACTIONS[action])[2]:
            return None
    try:
        actions = _play(level, _bot(level, known))
    except Exception:  # whatever the bot stumbles over: assertions, missing places, opened boxes, circles
        return None
    return None if actions is None else (*first, *actions)


def _bot(level: Any, known: NDArray[np.bool_]) -> Any:
    """The bot, told what is left of the mission and what is known of the level."""
    module = require("minigrid.utils.baby_ai_bot", "babyai", "BabyAI's bot")
    whole = level.instrs
    level.instrs = _left(whole)
    bot = module.BabyAIBot(level)
    level.instrs = whole
    bot.stack = _Stack(bot.stack)
    bot.vis_mask = known.copy()
    return bot


def _left(instruction: Any) -> Any:
    """The part of an instruction that is not carried out yet."""
    if not hasattr(instruction, "instr_a"):
        return instruction
    first, second = instruction.instr_a, instruction.instr_b
    if instruction.a_done == "success":
        return _left(second)
    if instruction.b_done == "success":
        return _left(first)
    return type(instruction)(_left(first), _left(second))


def _play(level: Any, bot: Any) -> tuple[str, ...] | None:
    actions: list[str] = []
    number = None
    while len(actions) < level.max_steps:
        bot.stack.thoughts = 0
        number = bot.replan(number)
        name = NAMES.get(int(number))
        if name is None or refusal(level, name):
            return None
        actions.append(name)
        _, reward, terminated, _, _ = level.step(number)
        if terminated:
            return tuple(actions) if reward > 0 else None
    return None
