"""Battleship by brute force, written apart from the package: all arrangements, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

Cell = tuple[int, int]
Ship = frozenset[Cell]


class Event(NamedTuple):
    """A shot at one cell, or a question about several."""

    kind: str
    cells: frozenset[Cell]
    said: object
    """Of a shot "water", "hit" or the cells of the ship that sank; of a question whether yes."""


def ships(rows: int, cols: int, length: int) -> list[Ship]:
    across = [frozenset((r, c + i) for i in range(length)) for r in range(rows) for c in range(cols - length + 1)]
    down = [frozenset((r + i, c) for i in range(length)) for r in range(rows - length + 1) for c in range(cols)]
    return list(dict.fromkeys(across + down))


def arrangements(rows: int, cols: int, fleet: Sequence[int]) -> Iterator[tuple[Ship, ...]]:
    for fleet_there in product(*(ships(rows, cols, length) for length in fleet)):
        if len(frozenset().union(*fleet_there)) == sum(fleet):
            yield fleet_there


def shoot(fleet: Sequence[Ship], shot: set[Cell], cell: Cell) -> object:
    """What a shot brings; `shot` are the cells shot at before."""
    for ship in fleet:
        if cell in ship:
            return ship if ship <= shot | {cell} else "hit"
    return "water"


def weight(fleet: Sequence[Ship], events: Sequence[Event], noise: float) -> float:
    """The chance of what was said, were this the fleet."""
    shot: set[Cell] = set()
    chance = 1.0
    for event in events:
        if event.kind == "fire":
            [cell] = event.cells
            if shoot(fleet, shot, cell) != event.said:
                return 0.0
            shot.add(cell)
        else:
            truth = any(ship & event.cells - shot for ship in fleet)
            chance *= 1 - noise if truth == event.said else noise
    return chance


def posterior(rows: int, cols: int, fleet: Sequence[int], events: Sequence[Event], noise: float) -> dict[Cell, float]:
    total, sums = 0.0, {(r, c): 0.0 for r in range(rows) for c in range(cols)}
    for there in arrangements(rows, cols, fleet):
        chance = weight(there, events, noise)
        total += chance
        for ship in there:
            for cell in ship:
                sums[cell] += chance
    return {cell: value / total for cell, value in sums.items()}
