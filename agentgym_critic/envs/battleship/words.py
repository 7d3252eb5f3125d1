"""What a player of Battleship reads and writes: names of cells and of regions, the picture, the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from agentgym_critic.envs.battleship.belief import Sight
from agentgym_critic.envs.battleship.waters import Waters

__all__ = ["cell_names", "goal", "listed", "picture", "refusal", "regions"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@lru_cache(maxsize=64)
def cell_names(rows: int, cols: int) -> tuple[str, ...]:
    """The names of the cells, row by row.

    >>> cell_names(2, 2)
    ('A1', 'A2', 'B1', 'B2')
    """
    return tuple(f"{LETTERS[row]}{col + 1}" for row in range(rows) for col in range(cols))


@lru_cache(maxsize=64)
def regions(rows: int, cols: int) -> dict[str, int]:
    """What can be asked about, with its cells: rows, columns, and the quarters of the board."""

    def where(row: range, col: range) -> int:
        return sum(1 << r * cols + c for r in row for c in col)

    upper, lower = range(rows // 2), range(rows // 2, rows)
    left, right = range(cols // 2), range(cols // 2, cols)
    named = {
        **{f"row {LETTERS[row]}": where(range(row, row + 1), range(cols)) for row in range(rows)},
        **{f"column {col + 1}": where(range(rows), range(col, col + 1)) for col in range(cols)},
        "upper left": where(upper, left),
        "upper right": where(upper, right),
        "lower left": where(lower, left),
        "lower right": where(lower, right),
    }
    return {what: region for what, region in named.items() if region}  # a single row or column has no quarters


def picture(sight: Sight) -> str:
    """The board as the player sees it, with letters and numbers at its sides."""
    marks = [
        "x" if sight.hit >> cell & 1 else "#" if sight.sunk >> cell & 1 else "o" if sight.missed >> cell & 1 else "."
        for cell in range(sight.rows * sight.cols)
    ]
    lines = [" ".join([" ", *(str(col + 1) for col in range(sight.cols))])]
    for row in range(sight.rows):
        cells = zip(marks[row * sight.cols : (row + 1) * sight.cols], range(sight.cols), strict=True)
        lines.append(" ".join([LETTERS[row], *(mark.rjust(len(str(col + 1))) for mark, col in cells)]))
    return "\n".join(lines)


def goal(waters: Waters, shots: int, questions: int, noise: float) -> str:
    """The task, the rules and the symbols of the picture."""
    ships = "a ship" if len(waters.fleet) == 1 else f"{len(waters.fleet)} ships"
    cells = "cells" if len(waters.fleet) == 1 else "cells each"
    told = (
        f"Sink {ships} of {listed(map(str, waters.fleet), 'and')} {cells}, hidden on a board of {waters.rows} rows and "
        f"{waters.cols} columns, with at most {shots} shots. Ships lie straight, across or down; they do not overlap "
        f"but may touch. Shoot with e.g. `fire A1` at a cell not shot at before. Symbols: . unknown, o water, x hit, "
        f"# part of a sunk ship."
    )
    if not questions:
        return told
    wrong = f"; each answer is wrong with a chance of {noise:g}" if noise else ""
    return (
        f"{told} You may also ask up to {questions} questions, whether a ship lies in cells not shot at yet: `ask row "
        f"A`, `ask column 1`, `ask upper left`, `ask upper right`, `ask lower left`, `ask lower right`{wrong}."
    )


def refusal(action: str, sight: Sight, questions_left: int) -> str:
    """Why an action that is not possible is not."""
    verb, _, what = action.partition(" ")
    if verb == "fire":
        if what not in cell_names(sight.rows, sight.cols):
            return f"There is no cell {what[:20]!r}; cells are {_span(sight)}."
        return f"{what} was shot at before."
    if verb == "ask":
        if questions_left <= 0:
            return "There are no questions left."
        if what not in regions(sight.rows, sight.cols):
            return (
                f"One cannot ask about {what[:20]!r}; ask about {_regions_in_words(regions(sight.rows, sight.cols))}."
            )
        return f"All cells of {what} were shot at before."
    return (
        f"There is no action {action[:50]!r}; write `fire` and a cell{' or `ask` and a region' * (questions_left > 0)}."
    )


def listed(words: Iterable[str], conjunction: str) -> str:
    """Words as a list in a sentence.

    >>> listed(["5", "4", "3"], "and")
    '5, 4 and 3'
    """
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def _span(sight: Sight) -> str:
    names = cell_names(sight.rows, sight.cols)
    return names[0] if len(names) == 1 else f"from {names[0]} to {names[-1]}"


def _regions_in_words(known: Mapping[str, int]) -> str:
    return listed(known, "or")
