"""What an episode achieved, whatever its task was: read from the fixed phrases of an environment.

Each function reads what a player saw and asks no oracle. Environments without one return None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from agentgym_critic.types import Trajectory

__all__ = ["ACHIEVEMENTS", "Achievement", "GoalFunction", "achieved"]


class Achievement(NamedTuple):
    """A goal that was reached."""

    goal: str
    """Worded as the environment words its tasks."""
    step: int
    """Index of the step that reached it."""


GoalFunction = Callable[[Trajectory], Achievement | None]
"""What an episode achieved; None if nothing that could have been a task."""

_PUT = re.compile(r"You (?:move|put) the (?P<thing>[^.\n]+?) \d+ (?:to|in/on|in|on) the (?P<place>[^.\n]+?) \d+\.")
_TREATED = re.compile(r"You (?P<how>clean|heat|cool) the (?P<thing>[^.\n]+?) \d+ using the [^.\n]+\.")
_ROW = re.compile(r"[ \t]*(?:(?:\d+|\.)[ \t]*)+")
_TILE = re.compile(r"(?<=Make a tile of )\d+(?=\.)")


def household(trajectory: Trajectory) -> Achievement | None:
    """ALFWorld: the last thing that was put somewhere, and how that kind of thing had been treated before.

    Kinds are compared, as its tasks do; which of two mugs was cleaned is not kept.
    """
    treated: dict[str, str] = {}
    found: Achievement | None = None
    for index, step in enumerate(trajectory.steps):
        if treatment := _TREATED.match(step.next_observation):
            treated[treatment["thing"]] = treatment["how"]
        if put := _PUT.match(step.next_observation):
            thing, place, how = put["thing"], put["place"], treated.get(put["thing"])
            goal = f"{how} some {thing} and put it in {place}." if how else f"put a {thing} in {place}."
            found = Achievement(goal, index)
    return found


def tiles(trajectory: Trajectory) -> Achievement | None:
    """2048: the largest tile that was made, and the rules as the task tells them."""
    if not trajectory.steps or not _TILE.search(trajectory.task):
        return None
    largest = _largest(trajectory.steps[0].observation)
    found: int | None = None
    for index, step in enumerate(trajectory.steps):
        if (now := _largest(step.next_observation)) > largest:
            largest, found = now, index
    return None if found is None else Achievement(_TILE.sub(str(largest), trajectory.task, count=1), found)


def _largest(board: str) -> int:
    rows = [line.split() for line in board.splitlines() if _ROW.fullmatch(line)]
    return max((int(cell) for row in rows for cell in row if cell.isdecimal()), default=0)


ACHIEVEMENTS: dict[str, GoalFunction] = {
    "agentgym_critic/ALFWorld-v0": household,
    "agentgym_critic/Game2048-v0": tiles,
}
"""By environment id."""


def achieved(trajectory: Trajectory) -> Achievement | None:
    """What the environment's own function finds; None if it has none."""
    function = ACHIEVEMENTS.get(trajectory.env_id)
    return function(trajectory) if function else None
