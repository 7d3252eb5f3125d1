"""Levels from a text file in XSB, the format in which collections of Sokoban levels are passed around.

A level is a block of lines, each a row; whatever stands between blocks (blank lines, titles,
authors, comments) is passed over. A row is a line that begins, after floor, with a wall, or one
that has a wall and nothing but symbols. Run-length encoded levels are not read.
"""

from __future__ import annotations

from pathlib import Path

from agentgym_critic.envs.sokoban.level import SYMBOLS, Level, parse_level
from agentgym_critic.errors import ConfigError

__all__ = ["read_levels"]

LARGEST_FILE = 16_000_000
"""Bytes; the largest collections known have a tenth of it."""

MOST_ROWS = 200
"""Rows, and columns, of a level."""

_FLOOR = "-_ "


def read_levels(path: str | Path) -> tuple[Level, ...]:
    """All levels of a file, in its order. What lies outside a level's walls is wall as well.

    Raises:
        ConfigError: the file cannot be read or holds no level, or a level is none: the message
            names the file, the level (from 1) and the line.
    """
    lines = _text(Path(path)).split("\n")
    blocks = _blocks([line.rstrip() for line in lines])
    if not blocks:
        raise ConfigError(f"{path} holds no level; a row of one begins with a wall (#)")
    return tuple(_level(f"{path}, level {number}", *block) for number, block in enumerate(blocks, start=1))


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise ConfigError(
                f"levels are read from a file; {path} " + ("is none" if path.exists() else "does not exist")
            )
        if (size := path.stat().st_size) > LARGEST_FILE:
            raise ConfigError(f"{path} has {size} bytes; a file of levels has at most {LARGEST_FILE}")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as cause:
        raise ConfigError(f"{path} is no text file of levels that can be read: {cause}") from cause


def _blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """For each level the number of its first line, from 1, and its rows."""
    blocks: list[tuple[int, list[str]]] = []
    inside = False
    for number, line in enumerate(lines, start=1):
        if _is_row(line):
            if not inside:
                blocks.append((number, []))
            blocks[-1][1].append(line)
        inside = _is_row(line)
    return blocks


def _is_row(line: str) -> bool:
    return line.lstrip(_FLOOR).startswith("#") or ("#" in line and SYMBOLS.issuperset(line))


def _level(name: str, first: int, rows: list[str]) -> Level:
    if max(len(rows), *map(len, rows)) > MOST_ROWS:
        raise ConfigError(f"{name}, line {first}: a level has at most {MOST_ROWS} rows and columns")
    for number, row in enumerate(rows, start=first):
        for column, symbol in enumerate(row, start=1):
            if symbol not in SYMBOLS:
                known = " ".join(sorted(SYMBOLS)).strip()
                raise ConfigError(f"{name}, line {number}: column {column} is {symbol!r}; known are space {known}")
    enclosed = _enclosed(name, first, rows)
    try:
        level = parse_level("\n".join(enclosed))
    except ConfigError as cause:
        raise ConfigError(f"{name}, line {first}: {cause}") from cause
    if level.boxes == level.targets:
        raise ConfigError(f"{name}, line {first}: all boxes are on targets, so that nothing is left to do")
    return level


def _enclosed(name: str, first: int, rows: list[str]) -> list[str]:
    """The rows at the same length, with walls wherever one can get to from outside."""
    cols = max(map(len, rows))
    grid = [list(f" {row.ljust(cols)} ") for row in ("", *rows, "")]  # a margin to walk around the level
    edge = [(0, 0)]
    grid[0][0] = "#"
    while edge:
        row, col = edge.pop()
        for down, right in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if not (0 <= down < len(grid) and 0 <= right < cols + 2) or grid[down][right] == "#":
                continue
            if grid[down][right] not in _FLOOR:
                raise ConfigError(
                    f"{name}, line {first + down - 1}: column {right}, {grid[down][right]!r}, can be reached from "
                    "outside; the walls have a gap"
                )
            grid[down][right] = "#"
            edge.append((down, right))
    return ["".join(row[1:-1]) for row in grid[1:-1]]
