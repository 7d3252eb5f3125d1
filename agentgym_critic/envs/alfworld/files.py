"""Which of ALFWorld's games are meant, and what one file holds.

The games are what the folder holds; how that compares with the official lists is reported, and
no game is left out for it. This module runs no game.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Sequence
from functools import cache as once
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from agentgym_critic.envs.alfworld.index import GAME_FILE
from agentgym_critic.envs.alfworld.layout import HOW_TO_GET, TASK_TYPES, playable_games, split_folder, task_type_of
from agentgym_critic.envs.alfworld.splits import SplitReport, examine_split, game_set_digest
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, UnknownIdError
from agentgym_critic.settings import names_of

__all__ = ["TASK_TYPES", "Game", "GameFile", "GameSet", "find_games", "read_game"]

PUT_DOWN = re.compile(r'template\s*::\s*"(move \{\w+\} to \{\w+\}|put \{\w+\} in/on \{\w+\})"')

MOST_BYTES = 16_000_000
"""Bytes of a file; the largest of the official games has 138,334."""

SHARED = 128
"""Games kept read: about 80 kB each, so that many environments on one game hold it once."""

log = logging.getLogger(__name__)


class GameFile(msgspec.Struct, frozen=True):
    """The content of one ``game.tw-pddl``."""

    pddl_domain: str
    pddl_problem: str
    grammar: str
    solvable: bool
    walkthrough: tuple[str, ...]


class Game(NamedTuple):
    """One game, read and checked."""

    id: str
    """``<task type>-<objects>/<trial>``"""
    path: Path
    file: GameFile

    @property
    def dialect(self) -> str:
        """How the game's grammar words putting something down: ``move … to …`` or ``put … in/on …``."""
        found = PUT_DOWN.search(self.file.grammar)
        return re.sub(r"\{\w+\}", "…", found[1]) if found else "unknown"

    def fault(self, error: EnvError) -> EnvError:
        """An error of this game that says where it lies."""
        return EnvError(f"ALFWorld game {self.path}: {error}", f"ALFWorld game {self.path}")


class GameSet(NamedTuple):
    """Games of a split's folder: a `GameSource`."""

    folder: Path
    """The folder of the split."""
    ids: tuple[str, ...]
    """In a fixed shuffled order, in which adding a game moves no two others past each other."""
    report: SplitReport
    """How the folder compares with the official split, whichever of its games were chosen."""

    @property
    def version(self) -> str:
        """Which games these are, in short: the same for all who have the same ones, wherever they lie."""
        return f"games {self.report.name} {len(self.ids)} {game_set_digest(self.ids)[:12]}"

    def pick(self, seed: int) -> Game:
        """The game of a seed: consecutive seeds give different games until all were given."""
        return read_game(self.folder, self.ids[seed % len(self.ids)])

    def require(self, game_id: str) -> Game:
        """The game of that name, if it is one of these.

        Raises:
            UnknownIdError: it is not; the message names the nearest.
        """
        return read_game(self.folder, self._known(game_id))

    def only(self, game_ids: Sequence[str]) -> GameSet:
        """These games alone.

        Raises:
            UnknownIdError: one is not among the games.
        """
        wanted = set(map(self._known, game_ids))
        return self._replace(ids=tuple(game for game in self.ids if game in wanted))

    def _known(self, game_id: str) -> str:
        if game_id not in self.ids:
            raise UnknownIdError("ALFWorld game", game_id, self.ids, f"Looked for in {self.folder}.")
        return game_id


def find_games(
    data: str | os.PathLike[str] | None = None,
    split: str = "train",
    task_type: str | Sequence[str] | None = None,
    game_id: str | Sequence[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> GameSet:
    """The games of a split that fit.

    Args:
        data: the folder that holds ``json_2.1.1``; None for ``$ALFWORLD_DATA``, then for
            ``~/.cache/alfworld``, where ALFWorld's own downloader puts it.
        split: one of `SPLITS`.
        task_type: one or several of `TASK_TYPES`; None for all.
        game_id: one or several games; None for all.
        cache: folder for the index; None for the user's cache folder.

    Raises:
        MissingDataError: the folder is missing or holds no such split; the message says how to get it.
        UnknownIdError: no such split, task type or game.
        ConfigError: no game fits all the conditions.
    """
    types = TASK_TYPES if task_type is None else _known_types(names_of("task_type", task_type))
    folder = split_folder(data, split)
    playable = tuple(playable_games(folder, cache))
    if not playable:
        raise MissingDataError(f"{folder} holds no {GAME_FILE}. {HOW_TO_GET}")
    games = _fitting(folder, split, playable, types)
    if game_id is None:
        _warn(folder, games.report)
    else:
        games = games.only(names_of("game_id", game_id))
    if not games.ids:
        raise ConfigError(f"None of the {len(playable)} games in {folder} fits {task_type=}.")
    return games


@lru_cache(maxsize=16)
def _fitting(folder: Path, split: str, playable: tuple[str, ...], types: tuple[str, ...]) -> GameSet:
    """One value for all who ask for the same games: a list of thousands of ids is not to be held by each."""
    fitting = sorted((game for game in playable if task_type_of(game) in types), key=_shuffle_key)
    return GameSet(folder, tuple(fitting), examine_split(split, playable))


def read_game(folder: Path, game_id: str) -> Game:
    """Read one game of the split in `folder`; while its file is the same, all who read it share one value.

    Raises:
        MissingDataError: its file is gone.
        EnvError: the file is damaged or too large, or the game is marked as unsolvable or has no walkthrough.
    """
    path = folder / game_id / GAME_FILE
    try:
        seen = path.stat()
        if seen.st_size > MOST_BYTES:
            raise EnvError(f"{path} has {seen.st_size:,} bytes, where a game has at most {MOST_BYTES:,}", str(path))
        return _read(game_id, path, (seen.st_mtime_ns, seen.st_size))
    except FileNotFoundError as cause:
        raise MissingDataError(f"There is no file {path}. {HOW_TO_GET}") from cause
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.DecodeError) as cause:
        raise EnvError(f"{path} is not a readable ALFWorld game: {cause}. Download it again.", str(path)) from cause


@lru_cache(maxsize=SHARED)
def _read(game_id: str, path: Path, stamp: tuple[int, int]) -> Game:
    file = msgspec.json.decode(path.read_bytes(), type=GameFile)
    if not file.solvable:
        raise EnvError(f"{path} is marked as not solvable; leave this game out.", str(path))
    if not file.walkthrough:
        raise EnvError(f"{path} holds an empty walkthrough; download it again or leave this game out.", str(path))
    return Game(game_id, path, file)


def _known_types(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in TASK_TYPES:
            raise UnknownIdError("ALFWorld task type", name, TASK_TYPES)
    return names


@once
def _warn(folder: Path, report: SplitReport) -> None:
    if report.state != "complete":
        log.warning(
            "%s holds %s. Results on it compare with others' only where their games are the same ones.", folder, report
        )


def _shuffle_key(game_id: str) -> bytes:
    return hashlib.sha256(game_id.encode()).digest()
