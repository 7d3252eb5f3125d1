"""The list of games below a split's folder, kept in a cache so that a start opens no 4,000 folders.

A game file that says it is not solvable is no game: ALFWorld's generator leaves such files, and
its loader skips them. A cached list is believed as long as nothing that decides it changed: the
split's folder, every task folder, every trial folder that held no file and every file that held
no game. A game that is deleted or spoilt later is noticed when it is opened. The cache is an
aid: if it is damaged or cannot be written, the folder is listed anew.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from pathlib import Path

import msgspec

from agentgym_critic.cache import cache_folder
from agentgym_critic.errors import StoreFullError
from agentgym_critic.files import whole_file
from agentgym_critic.settings import folder_of
from agentgym_critic.types import clean_text

__all__ = ["GAME_FILE", "Index", "list_games"]

GAME_FILE = "game.tw-pddl"

NOT_SOLVABLE = re.compile(rb'"solvable"\s*:\s*(false|null)')
"""Found in the bytes: reading all the JSON of 4,000 files would take seconds."""

FORMAT = 2
SETTLED_SECONDS = 2.0
"""A folder changed more recently may change again without a new time stamp, so it is not cached yet."""

log = logging.getLogger(__name__)


class Index(msgspec.Struct):
    """What is written to disk."""

    format: int
    folder: str
    """For a reader: the file's name tells which folder it is."""
    stamps: dict[str, int]
    """Modification time in nanoseconds of each folder and file that decides the list, relative to `folder`."""
    games: list[str]


def list_games(folder: Path, cache: str | os.PathLike[str] | None = None) -> list[str]:
    """The solvable games below a split's folder as ``<task>/<trial>``, sorted; a name that is no UTF-8 is no game's.

    Args:
        folder: holds a folder per task, each of which holds a folder per trial.
        cache: folder for the index; None for the user's cache folder.
    """
    folder = folder.resolve()
    file = _cache_file(folder, cache)
    index = _read(file)
    if index is None or not _current(index, folder):
        index = _scan(folder)
        if time.time_ns() - max(index.stamps.values()) > SETTLED_SECONDS * 1e9:
            _write(file, index)
    return index.games


def _cache_file(folder: Path, cache: str | os.PathLike[str] | None) -> Path:
    base = folder_of("cache", cache) or cache_folder()
    return base / "alfworld" / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]}.json"


def _scan(folder: Path) -> Index:
    # Times are taken before what they stand for is looked at: a change in between makes the index stale, not wrong.
    stamps, games = {"": folder.stat().st_mtime_ns}, []
    for task in _subfolders(folder):
        stamps[task.name] = task.stat().st_mtime_ns
        for trial in _subfolders(task):
            name, stamp, file = f"{task.name}/{trial.name}", trial.stat().st_mtime_ns, trial / GAME_FILE
            if not file.is_file():
                stamps[name] = stamp
                continue
            stamp = file.stat().st_mtime_ns
            if _solvable(file):
                games.append(name)
            else:
                stamps[f"{name}/{GAME_FILE}"] = stamp
    return Index(FORMAT, clean_text(str(folder)), stamps, sorted(games))


def _solvable(file: Path) -> bool:
    try:
        return not NOT_SOLVABLE.search(file.read_bytes())
    except OSError:  # said when the game is opened
        return True


def _subfolders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if _is_text(entry.name) and entry.is_dir()]


def _is_text(name: str) -> bool:
    return clean_text(name) == name


def _current(index: Index, folder: Path) -> bool:
    if index.folder != clean_text(str(folder)):
        return False
    try:
        return all(os.stat(f"{folder}/{name}").st_mtime_ns == stamp for name, stamp in index.stamps.items())
    except (OSError, ValueError):  # gone, or no name that a file can have
        return False


def _read(file: Path) -> Index | None:
    try:
        index = msgspec.json.decode(file.read_bytes(), type=Index)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        log.warning("The index %s is damaged (%s); listing the folder anew.", file, error)
        return None
    return index if index.format == FORMAT else None


def _write(file: Path, index: Index) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(file, overwrite=True) as draft:
            draft.write_bytes(msgspec.json.encode(index))
    except (OSError, StoreFullError) as error:
        log.warning("The index could not be kept in %s (%s); the next start lists the folder again.", file, error)
