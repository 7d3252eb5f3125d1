"""What a player of BabyAI is told: what is in view, what is carried, why something cannot be done.

The view is the one minigrid gives to its players: an array ``[column, row, 3]`` of cells in front
and beside, each its kind, colour and state. The player stands in the middle of the last row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACTIONS", "COLOURS", "KINDS", "STATES", "describe", "goal", "refusal"]

ACTIONS = {"turn left": 0, "turn right": 1, "go forward": 2, "pick up": 3, "drop": 4, "toggle": 5}
"""minigrid's actions but for *done*, which has no use in its levels."""

KINDS = ("unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent")
COLOURS = ("red", "green", "blue", "purple", "yellow", "grey")
STATES = ("open", "closed", "locked")
"""What the numbers of a view mean."""

_COMPASS = ("east", "south", "west", "north")
_NOTHING = frozenset({"unseen", "empty", "floor", "agent"})


class _Seen(NamedTuple):
    """A cell in view."""

    ahead: int
    right: int
    name: str
    """With its article; ``"a wall"`` too."""


def describe(env: Any, observation: Any) -> str:
    """What minigrid's observation shows, in words."""
    view = observation["image"]
    seen = sorted(_cells(view), key=lambda cell: (cell.ahead + abs(cell.right), cell.ahead, cell.right))
    front = next((cell.name for cell in seen if (cell.ahead, cell.right) == (1, 0)), "nothing")
    things = "; ".join(f"{cell.name} {_where(cell)}" for cell in seen if cell.name != "a wall")
    carried = _name(view[view.shape[0] // 2, -1])
    lines = [
        f"You face {_COMPASS[int(observation['direction'])]}. In front of you is {front}.",
        f"You see {things or 'no objects'}.",
        f"You carry {carried or 'nothing'}.",
    ]
    return "\n".join([*lines, *_walls(seen)])


def goal(env: Any) -> str:
    """The mission, and how one plays."""
    return (
        f"{env.mission[0].upper()}{env.mission[1:]}. You see only what is in front of you and beside you. pick up and "
        "toggle act on the cell in front of you, drop puts down there what you carry; you can carry one thing. toggle "
        "opens and closes doors, unlocks one if you carry the key of its colour, and opens boxes. To go to something, "
        "face it from the cell next to it."
    )


def refusal(env: Any, action: str) -> str:
    """Why an action would change nothing; empty if it does something."""
    front = env.grid.get(*env.front_pos)
    match action:
        case "go forward":
            return "" if front is None or front.can_overlap() else f"In front of you is {_named(front)}."
        case "pick up" if env.carrying:
            return f"You already carry {_named(env.carrying)}; drop it first."
        case "pick up":
            return "" if front and front.can_pickup() else "There is nothing to pick up in front of you."
        case "drop" if not env.carrying:
            return "You carry nothing."
        case "drop":
            return f"There is no room to drop it: in front of you is {_named(front)}." if front else ""
        case "toggle" if not front or front.type not in ("door", "box"):
            return "There is nothing to open or close in front of you."
        case "toggle":
            return "" if _opens(env, front) else f"The {front.color} door is locked; its key is {front.color} too."
    return ""


def _opens(env: Any, thing: Any) -> bool:
    key = env.carrying
    locked = thing.type == "door" and thing.is_locked
    return not locked or bool(key and key.type == "key" and key.color == thing.color)


def _cells(view: NDArray[np.uint8]) -> Iterator[_Seen]:
    columns, rows = view.shape[:2]
    for column, row in np.argwhere(view[..., 0] > 1).tolist():
        ahead, right = rows - 1 - row, column - columns // 2
        if (ahead, right) != (0, 0) and (name := _name(view[column, row])):
            yield _Seen(ahead, right, name)


def _name(cell: NDArray[np.uint8]) -> str:
    """The thing in a cell, with its article; empty if there is none."""
    kind, colour, state = KINDS[cell[0]], COLOURS[cell[1]], int(cell[2])
    if kind in _NOTHING:
        return ""
    return _phrase(kind, colour, STATES[state] if kind == "door" else "")


def _named(thing: Any) -> str:
    state = ("open" if thing.is_open else "locked" if thing.is_locked else "closed") if thing.type == "door" else ""
    return _phrase(thing.type, thing.color, state)


def _phrase(kind: str, colour: str, state: str) -> str:
    if kind in ("wall", "goal", "lava"):
        return f"a {kind}" if kind != "lava" else kind
    words = f"{state} {colour} {kind}".strip()
    return f"{'an' if words.startswith('o') else 'a'} {words}"


def _where(cell: _Seen) -> str:
    """Where a cell is, seen from the player.

    >>> _where(_Seen(2, -1, "a red ball"))
    '2 ahead and 1 to the left'
    """
    side = f"{abs(cell.right)} to the {'right' if cell.right > 0 else 'left'}" if cell.right else ""
    return " and ".join(filter(None, [f"{cell.ahead} ahead" if cell.ahead else "", side]))


def _walls(seen: list[_Seen]) -> list[str]:
    """How far the nearest wall is in each straight line."""
    lines = {
        "ahead": [cell.ahead for cell in seen if cell.name == "a wall" and not cell.right],
        "to the left": [-cell.right for cell in seen if cell.name == "a wall" and not cell.ahead and cell.right < 0],
        "to the right": [cell.right for cell in seen if cell.name == "a wall" and not cell.ahead and cell.right > 0],
    }
    near = ", ".join(f"{min(distances)} {way}" for way, distances in lines.items() if distances)
    return [f"Walls: {near}."] if near else []
