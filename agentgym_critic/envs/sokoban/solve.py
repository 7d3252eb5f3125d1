"""`Solver`: how many moves a state of a level is from success, exactly, and which moves begin a shortest way.

The search is breadth-first in single moves, from both ends. Backwards from the solved states it
keeps *layers*: layer ``d`` holds the states whose shortest way has ``d`` moves. Layers up to
`depth` are complete. A small level is searched to its end: then every answer is a look-up and a
state in no layer is proven unsolvable. In a larger level the backward search stops at a limit,
and a state beyond it is searched forwards until it meets the last complete layer; the states on
the shortest ways found are added to the layers beyond `depth`, so that following them costs
look-ups. Such a state is in its layer together with all its optimal successors, hence what is in
a layer, complete or not, can be relied on.
"""

from __future__ import annotations

from agentgym_critic.envs.sokoban.level import Level
from agentgym_critic.envs.sokoban.moves import ACTIONS, Layer, after_moves, before_moves, moved, offsets

__all__ = ["BACKWARD_LIMIT", "FORWARD_LIMIT", "Solver"]

BACKWARD_LIMIT = 20_000
"""Layer entries (sets of boxes) expanded backwards before the search turns forwards."""

FORWARD_LIMIT = 200_000
"""Layer entries expanded forwards before a state is given up."""


class Solver:
    """Answers for every state of one level's room; remembers what it found.

    Args:
        level: its room is what counts; where boxes and player start does not.
        backward_limit: layer entries expanded backwards.
        forward_limit: layer entries expanded forwards for one state.
    """

    def __init__(
        self, level: Level, *, backward_limit: int = BACKWARD_LIMIT, forward_limit: int = FORWARD_LIMIT
    ) -> None:
        self._floor, self._cols = level.floor, level.cols
        self._offsets = offsets(level.cols)
        self._alive = _alive(level)
        self._limits = backward_limit, forward_limit
        solved = {level.targets: level.floor & ~level.targets}
        self.layers: list[Layer] = [solved]
        """Layer ``d``: states that are exactly ``d`` moves from success."""
        self.depth = 0
        """The last layer that is known to be complete."""
        self.finished = False
        """Whether the layers hold every solvable state."""
        self._seen = dict(solved)
        self.expanded = 0
        """Layer entries expanded backwards so far."""
        self._dead: Layer = {}
        self._given_up: set[tuple[int, int]] = set()

    def explore(self, depth: int | None = None) -> None:
        """Complete the layers up to `depth` (None: all), as far as the backward limit allows."""
        while not self.finished and (depth is None or self.depth < depth) and self.expanded < self._limits[0]:
            self._add_layer()

    def distance(self, boxes: int, player: int) -> int | None:
        """Moves from this state to success; None if it is unsolvable, or given up."""
        known = self._lookup(boxes, player)
        if known is None and self._worth_a_search(boxes, player):
            self._search(boxes, player)
            known = self._lookup(boxes, player)
        return known

    def best_actions(self, boxes: int, player: int) -> tuple[str, ...]:
        """The moves that begin a shortest way to success; none if success is reached or out of reach."""
        distance = self.distance(boxes, player)
        if not distance:
            return ()
        nearer = self.layers[distance - 1]
        states = {action: moved(boxes, player, self._floor, self._offsets[action]) for action in ACTIONS}
        return tuple(action for action, state in states.items() if state and nearer.get(state[0], 0) & state[1])

    def solvable(self, boxes: int, player: int) -> bool | None:
        """Whether success can still be reached; None if the search gave up."""
        if self.distance(boxes, player) is not None:
            return True
        return None if (boxes, player) in self._given_up else False

    def _lookup(self, boxes: int, player: int) -> int | None:
        for distance, layer in enumerate(self.layers):
            if layer.get(boxes, 0) & player:
                return distance
        return None

    def _worth_a_search(self, boxes: int, player: int) -> bool:
        if self.finished or boxes & ~self._alive or self._dead.get(boxes, 0) & player:
            return False
        return (boxes, player) not in self._given_up

    def _add_layer(self) -> None:
        last = self.layers[self.depth]
        fresh = _fresh(before_moves(last, self._floor, self._cols), self._seen)
        self.expanded += len(last)
        self.finished = not fresh
        if fresh:
            self.layers.append(fresh)
            self.depth += 1

    def _search(self, boxes: int, player: int) -> None:
        self.explore()
        if self.finished or self._lookup(boxes, player) is not None:
            return
        border, limit = self.layers[self.depth], self._limits[1]
        forward: list[Layer] = [{boxes: player}]
        seen = dict(forward[0])
        while not (met := _common(forward[-1], border)):
            limit -= len(forward[-1])
            fresh = _fresh(after_moves(forward[-1], self._floor, self._cols, self._alive), seen)
            if not fresh:
                self._dead = _union(self._dead, seen)
                return
            if limit <= 0:
                self._given_up.add((boxes, player))
                return
            forward.append(fresh)
        self._remember(forward, met)

    def _remember(self, forward: list[Layer], met: Layer) -> None:
        """Add the states of all shortest ways from the first layer of `forward` to `met` in its last."""
        for distance, layer in enumerate(reversed(forward[:-1]), start=self.depth + 1):
            met = _common(before_moves(met, self._floor, self._cols), layer)
            if distance == len(self.layers):
                self.layers.append({})
            self.layers[distance] = _union(self.layers[distance], met)


def _alive(level: Level) -> int:
    """The cells from which a box, alone in the room, can be pushed onto some target."""
    alive, before, floor = level.targets, 0, level.floor
    while alive != before:
        before = alive
        for step in (1, level.cols):
            alive |= (alive << step) & floor & floor >> step | (alive >> step) & floor & floor << step
    return alive


def _fresh(found: Layer, seen: Layer) -> Layer:
    """The states of `found` that are not in `seen`, to which they are added."""
    fresh: Layer = {}
    for boxes, players in found.items():
        known = seen.get(boxes, 0)
        if new := players & ~known:
            seen[boxes] = known | new
            fresh[boxes] = new
    return fresh


def _common(left: Layer, right: Layer) -> Layer:
    return {boxes: both for boxes, players in left.items() if (both := players & right.get(boxes, 0))}


def _union(left: Layer, right: Layer) -> Layer:
    return {boxes: left.get(boxes, 0) | right.get(boxes, 0) for boxes in left.keys() | right.keys()}
