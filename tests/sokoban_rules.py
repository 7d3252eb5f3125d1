"""Sokoban once more, written for clarity only: sets of (row, column), and every state of a level listed."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from hypothesis import strategies as st

__all__ = ["WAYS", "State", "after", "all_distances", "levels", "read"]

WAYS = {"down": (1, 0), "left": (0, -1), "right": (0, 1), "up": (-1, 0)}


class State(NamedTuple):
    player: tuple[int, int]
    boxes: frozenset[tuple[int, int]]


def read(text: str) -> tuple[State, frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """The state, the walls and the targets of a picture."""
    at = {(row, col): symbol for row, line in enumerate(text.split("\n")) for col, symbol in enumerate(line)}

    def where(symbols: str) -> frozenset[tuple[int, int]]:
        return frozenset(cell for cell, symbol in at.items() if symbol in symbols)

    [player] = where("@+")
    return State(player, where("$*")), where("#"), where(".+*")


def after(state: State, walls: frozenset[tuple[int, int]], action: str) -> State | None:
    """The state after an action, or None if it is illegal."""
    down, right = WAYS[action]
    cell = state.player[0] + down, state.player[1] + right
    beyond = cell[0] + down, cell[1] + right
    if cell in walls:
        return None
    if cell not in state.boxes:
        return State(cell, state.boxes)
    if beyond in walls | state.boxes:
        return None
    return State(cell, state.boxes - {cell} | {beyond})


def all_distances(text: str) -> dict[State, int | None]:
    """For each state that can be reached the moves to success; None where there is no way."""
    start, walls, targets = read(text)
    before: dict[State, set[State]] = {start: set()}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for action in WAYS:
            following = after(state, walls, action)
            if following and following not in before:
                queue.append(following)
                before[following] = set()
            if following:
                before[following].add(state)
    distances: dict[State, int | None] = {state: 0 if state.boxes == targets else None for state in before}
    queue = deque(state for state, distance in distances.items() if distance == 0)
    while queue:
        state = queue.popleft()
        for earlier in before[state]:
            if distances[earlier] is None:
                distances[earlier] = (distances[state] or 0) + 1
                queue.append(earlier)
    return distances


@st.composite
def levels(draw: st.DrawFn, boxes: int = 3) -> str:
    """Pictures of small levels, solvable or not, walled in."""
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(3, 4))
    inside = [(row, col) for row in range(1, rows + 1) for col in range(1, cols + 1)]
    walls = set(draw(st.lists(st.sampled_from(inside), max_size=len(inside) // 3)))
    floor = [cell for cell in inside if cell not in walls]
    count = draw(st.integers(1, min(boxes, len(floor) - 1)))
    player, *places = draw(st.permutations(floor))
    targets = set(draw(st.permutations(floor))[:count])
    symbols = dict.fromkeys(walls, "#") | dict.fromkeys(floor, "-") | dict.fromkeys(targets, ".")
    symbols[player] = "+" if player in targets else "@"
    symbols |= {cell: "*" if cell in targets else "$" for cell in places[:count]}
    lines = ["".join(symbols.get((row, col), "#") for col in range(cols + 2)) for row in range(rows + 2)]
    return "\n".join(lines)
