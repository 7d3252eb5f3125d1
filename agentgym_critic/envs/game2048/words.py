"""What a player of 2048 is told in words: the goal, the board, and why a move is not possible."""

from __future__ import annotations

from agentgym_critic.envs.game2048.board import ACTIONS, CUTS
from agentgym_critic.envs.wording import unknown_action

__all__ = ["Picture", "goal", "refusal"]

KNOWN_ROWS = 200_000
"""Rows whose text is kept before the table is begun anew."""


class Picture(dict[bytes, str]):
    """The text of each row of tiles, made when it is first asked for.

    Args:
        base: the number on the smallest tile.
        size: rows and columns.
        width: characters of the widest number.
    """

    def __init__(self, base: int, size: int, width: int) -> None:
        super().__init__()
        self._base, self._width, self._rows = base, width, CUTS[size][:size]

    def __missing__(self, row: bytes) -> str:
        """The numbers of a row, right-justified; a dot is an empty cell."""
        if len(self) >= KNOWN_ROWS:
            self.clear()
        numbers = [str(self._base << level - 1) if level else "." for level in row]
        self[row] = text = " ".join(number.rjust(self._width) for number in numbers)
        return text

    def draw(self, board: bytes) -> str:
        """The rows of a board, separated by line breaks."""
        return "\n".join(map(self.__getitem__, map(board.__getitem__, self._rows)))


def goal(base: int, target: int) -> str:
    """The task, the rules and how the board is written."""
    return (
        f"Make a tile of {target}. You move {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}: all tiles slide that way as "
        "far as they can. Two equal tiles that meet merge into one of their sum, which is added to the score; a tile "
        "merges once a move, the foremost first. A move that changes nothing is not possible. After each move a tile "
        f"of {base} (nine times in ten) or {2 * base} appears on a random empty cell. The game is lost when no move is "
        "possible. A dot is an empty cell."
    )


def refusal(action: str, legal: list[str]) -> str:
    """Why an action that is not in `legal` is not possible."""
    if action not in ACTIONS:
        return unknown_action(action, ACTIONS)
    return f"Moving {action} changes nothing: no tile can slide or merge that way. Possible: {', '.join(legal)}."
