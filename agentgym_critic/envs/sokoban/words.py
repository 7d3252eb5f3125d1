"""What a player of Sokoban is told in words: the goal, and why a move is not possible."""

from __future__ import annotations

from agentgym_critic.envs.sokoban.moves import ACTIONS, shifted

__all__ = ["goal", "refusal"]

_WHERE = {"down": "below you", "left": "to the left", "right": "to the right", "up": "above you"}


def goal(boxes: int) -> str:
    """The task, the rules and the symbols of the picture."""
    task = "Push the box onto the target." if boxes == 1 else f"Push the {boxes} boxes onto the {boxes} targets."
    return (
        f"{task} You move {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}. Walking into a box pushes it if the cell behind "
        "it is free; a box cannot be pulled. Symbols: # wall, - floor, . target, $ box, * box on a target, @ you, "
        "+ you on a target."
    )


def refusal(action: str, boxes: int, player: int, floor: int, offset: int | None) -> str:
    """Why a move that is not possible is not; `offset` None means there is no such action."""
    if offset is None:
        return f"There is no action {action[:50]!r}; the actions are {', '.join(ACTIONS)}."
    cell, where = shifted(player, offset), _WHERE[action]
    if not cell & boxes:
        return f"There is a wall {where}."
    behind = "another box" if shifted(cell, offset) & floor else "a wall"
    return f"The box {where} cannot move: {behind} is behind it."
