"""`Places`: a level told in words, with a row and a column for all that is in it. The other view is `Picture`."""

from __future__ import annotations

from agentgym_critic.envs.sokoban.level import Level, cells

__all__ = ["Places"]


class Places:
    """A room in words, with boxes and player wherever they are."""

    def __init__(self, level: Level) -> None:
        self._cols = level.cols
        inside = sum(
            ((1 << level.cols - 2) - 1) << row * level.cols + 1  # a row without its ends
            for row in range(1, level.rows - 1)
        )
        walls = self._listed(level.walls & inside)
        self._room = (
            f"Rows 1 to {level.rows}, columns 1 to {level.cols}.\n"
            f"Walls: the border{f', {walls}' if walls else ''}.\nTargets: {self._listed(level.targets)}."
        )

    def tell(self, boxes: int, player: int) -> str:
        """The room, then the boxes and the player, each on a line."""
        return f"{self._room}\nBoxes: {self._listed(boxes)}.\nYou: {self._listed(player)}."

    def _listed(self, mask: int) -> str:
        """The cells of a mask, row by row."""
        indices = [bit.bit_length() - 1 for bit in cells(mask)]
        return ", ".join([f"({index // self._cols + 1}, {index % self._cols + 1})" for index in indices])
