"""The product files of WebShop: which there are, and their entries one by one, however large they are.

Each entry comes with what the two other files say of its asin. Nothing is cleaned here.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import ijson

from agentgym_critic.errors import EnvError, MissingDataError

__all__ = ["SIZES", "Entry", "ProductFiles", "find_files"]

SIZES = {"small": "_1000", "full": ""}
"""What the names of the files of a catalogue end in."""

HOW_TO_GET = (
    "Get items_shuffle_1000.json and items_ins_v2_1000.json, or items_shuffle.json and items_ins_v2.json, and "
    "items_human_ins.json, as WebShop's page describes, and set WEBSHOP_DATA (or data=) to their folder; or leave "
    "catalogue='procedural', which needs no data."
)


DEEPEST = 50
"""Levels of lists and objects that are read; no product has as many, and Python cannot show thousands."""

PART = 2**20
"""Bytes that are read at once: of a text that reaches over many parts, the parser reads all of them again with each."""

STARTS, ENDS = ("start_map", "start_array"), ("end_map", "end_array")
"""Of the parser's events."""


class Entry(NamedTuple):
    """A product as the files have it."""

    product: Any
    note: Any
    """Its attributes and synthetic request; None if there are none."""
    human: Any
    """What people asked for; a list."""


class ProductFiles(NamedTuple):
    """The three files of a catalogue."""

    products: Path
    notes: Path
    human: Path

    def stamp(self) -> str:
        """Changes when one of the files does."""
        stats = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in self]
        return repr(stats)

    def entries(self) -> Iterator[Entry]:
        """All entries, in the order of the product file.

        Raises:
            EnvError: a file cannot be read or is not JSON, or its top level is something else.
        """
        human = dict(_pairs(self.human))
        with closing(sqlite3.connect("")) as kept:  # on disk where it grows large, and gone with the connection
            kept.execute("CREATE TABLE notes (asin TEXT PRIMARY KEY, note BLOB) WITHOUT ROWID")
            notes = ((asin, json.dumps(note)) for asin, note in _pairs(self.notes))
            kept.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?)", notes)
            for product in _items(self.products):
                asin = product.get("asin") if isinstance(product, dict) else None
                known = asin if isinstance(asin, str) else ""
                row = kept.execute("SELECT note FROM notes WHERE asin = ?", (known,)).fetchone()
                yield Entry(product, json.loads(row[0]) if row else None, human.get(known, []))


def find_files(data: str | os.PathLike[str] | None, size: str) -> ProductFiles:
    """The files of a catalogue.

    Args:
        data: their folder; None for ``$WEBSHOP_DATA``.
        size: one of `SIZES`.

    Raises:
        MissingDataError: a file is not there; the message says which, and how to get it.
    """
    folder = data or os.environ.get("WEBSHOP_DATA")
    if not folder:
        raise MissingDataError(f"The folder of WebShop's files is not known. {HOW_TO_GET}")
    ending = SIZES[size]
    return ProductFiles(
        _require(Path(folder), f"items_shuffle{ending}.json"),
        _require(Path(folder), f"items_ins_v2{ending}.json"),
        _require(Path(folder), "items_human_ins*.json"),
    )


def _require(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern)) if os.path.isdir(folder) else []
    if not found:
        raise MissingDataError(f"{folder} holds no {pattern}. {HOW_TO_GET}")
    return found[0]


def _items(path: Path) -> Iterator[Any]:
    """What a file lists."""
    return (value for _, value in _pairs(path, b"["))


def _pairs(path: Path, start: bytes = b"{") -> Iterator[tuple[str, Any]]:
    """What the top level of a file holds, one by one, each with its key; a list has none."""
    try:
        with path.open("rb") as file:
            _require_start(file, start, path)
            yield from _members(ijson.basic_parse(file, buf_size=PART, use_float=True))
    except OSError as cause:
        raise EnvError(
            f"{path} cannot be read: {cause.strerror}; is it a file, and may you read it?", str(path)
        ) from cause
    except (ijson.JSONError, ValueError, OverflowError) as cause:
        raise EnvError(f"{path} is damaged: {_line(cause)}; get it again", str(path)) from cause


def _members(events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The members of the top level, without what is nested deeper than `DEEPEST`."""
    level, key, member = 0, "", ijson.ObjectBuilder()
    for event, value in events:
        level -= event in ENDS
        if 0 < level < DEEPEST and (level, event) != (1, "map_key"):
            member.event(event, value)
        level += event in STARTS
        if level == 1 and event == "map_key":
            key = value
        elif level == 1 and event not in STARTS:
            yield key, member.value
            member = ijson.ObjectBuilder()


def _require_start(file: BinaryIO, start: bytes, path: Path) -> None:
    seen = file.read(PART).lstrip()[:1]
    file.seek(0)
    if seen != start:
        what = "a list" if start == b"[" else "an object"
        raise EnvError(f"{path} is no JSON file with {what} at its top level; get it again", str(path))


def _line(cause: Exception) -> str:
    """What is wrong, without the parser's drawing of where."""
    return str(cause).partition("\n")[0].rstrip(".")
