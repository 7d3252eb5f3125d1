"""The rules of Sokoban: one move of one player, and all moves of all states of a layer at once.

A state is (boxes, player), both masks. A `Layer` holds many: for each set of boxes the mask
of all cells the player may be on. Shifting that mask moves all of these players at once,
which is what makes searching by single moves, not only by pushes, fast.
"""

from __future__ import annotations

from typing import TypeAlias

from agentgym_critic.envs.sokoban.level import cells

__all__ = ["ACTIONS", "Layer", "after_moves", "before_moves", "moved", "offsets", "shifted"]

Layer: TypeAlias = dict[int, int]
"""States: for each mask of boxes the mask of the player's cells."""

ACTIONS = ("down", "left", "right", "up")
"""All actions, sorted."""


def offsets(cols: int) -> dict[str, int]:
    """How many bits each action shifts the player in a level of `cols` columns."""
    return {"down": cols, "left": -1, "right": 1, "up": -cols}


def shifted(mask: int, offset: int) -> int:
    """A mask with all its bits moved by `offset`."""
    return mask << offset if offset > 0 else mask >> -offset


def moved(boxes: int, player: int, floor: int, offset: int) -> tuple[int, int] | None:
    """The state after a move, or None if the move is not possible."""
    cell = shifted(player, offset)
    if not cell & boxes:
        return (boxes, cell) if cell & floor else None
    beyond = shifted(cell, offset)
    return (boxes ^ cell ^ beyond, cell) if beyond & floor & ~boxes else None


def after_moves(layer: Layer, floor: int, cols: int, alive: int) -> Layer:
    """All states one move after one of `layer`; boxes are pushed onto cells of `alive` only."""
    found: Layer = {}
    for boxes, players in layer.items():
        free = floor & ~boxes
        open_, walked = free & alive, 0
        for step in (1, cols):
            walked |= players << step | players >> step
            for player in cells(players & boxes >> step & open_ >> 2 * step):
                pushed = boxes ^ player << step ^ player << 2 * step
                found[pushed] = found.get(pushed, 0) | player << step
            for player in cells(players & boxes << step & open_ << 2 * step):
                pushed = boxes ^ player >> step ^ player >> 2 * step
                found[pushed] = found.get(pushed, 0) | player >> step
        if walked & free:
            found[boxes] = found.get(boxes, 0) | walked & free
    return found


def before_moves(layer: Layer, floor: int, cols: int) -> Layer:
    """All states one move before one of `layer`: walks and pulls."""
    found: Layer = {}
    for boxes, players in layer.items():
        free, walked = floor & ~boxes, 0
        for step in (1, cols):
            walked |= players << step | players >> step
            for player in cells(players & boxes >> step & free << step):
                pulled = boxes ^ player << step ^ player
                found[pulled] = found.get(pulled, 0) | player >> step
            for player in cells(players & boxes << step & free >> step):
                pulled = boxes ^ player >> step ^ player
                found[pulled] = found.get(pulled, 0) | player << step
        if walked & free:
            found[boxes] = found.get(boxes, 0) | walked & free
    return found
