"""What a player of Sokoban is told in words: the goal, and why a move is not possible."""

from __future__ import annotations

from agentgym_critic.envs.sokoban.moves import shifted
from agentgym_critic.envs.sokoban.vocabulary import MEANINGS, Vocabulary
from agentgym_critic.envs.wording import unknown_action

__all__ = ["goal", "refusal"]

_WHERE = {"down": "below you", "left": "to the left", "right": "to the right", "up": "above you"}


def goal(boxes: int, vocabulary: Vocabulary, *, symbols: bool) -> str:
    """The task, the rules, and how to read an observation: a picture in symbols, or places in words."""
    task = "Push the box onto the target." if boxes == 1 else f"Push the {boxes} boxes onto the {boxes} targets."
    *others, last = [word if word == move else f"{word} (moves {move})" for move, word in vocabulary.actions.items()]
    drawn = ", ".join(f"{vocabulary.symbols[symbol]} {meaning}" for symbol, meaning in MEANINGS.items())
    return (
        f"{task} You move {', '.join(others)} or {last}. Walking into a box pushes it if the cell behind "
        "it is free; a box cannot be pulled. " + (f"Symbols: {drawn}." if symbols else _PLACES)
    )


_PLACES = (
    "A place is (row, column); rows are counted from the top, columns from the left. A box that is on a target is "
    "listed with the boxes and the target with the targets."
)


def refusal(action: str, boxes: int, player: int, floor: int, offset: int | None, vocabulary: Vocabulary) -> str:
    """Why a move that is not possible is not; `offset` None means there is no such action."""
    words = vocabulary.actions
    if offset is None:
        return unknown_action(action, words.values())
    cell, where = shifted(player, offset), next(_WHERE[move] for move, word in words.items() if word == action)
    if not cell & boxes:
        return f"There is a wall {where}."
    behind = "another box" if shifted(cell, offset) & floor else "a wall"
    return f"The box {where} cannot move: {behind} is behind it."
