"""Where ALFWorld's games lie, which of them are meant, and what one file holds.

The official layout is ``json_2.1.1/<split>/<task type>-<objects>/<trial>/game.tw-pddl``. The
games are what the folder holds: nothing is compared with the official lists. This module
runs no game.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from agentgym_critic.envs.alfworld.index import GAME_FILE, list_games
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, UnknownIdError

__all__ = ["SPLITS", "TASK_TYPES", "Game", "GameFile", "GameSet", "describe_data", "find_games", "read_game"]

SPLITS = ("train", "valid_train", "valid_seen", "valid_unseen")

TASK_TYPES = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_clean_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_two_obj_and_place",
)

LAYOUT = "json_2.1.1"
HOW_TO_GET = (
    "Download the games with ALFWorld's own command `alfworld-download`, and set the variable ALFWORLD_DATA "
    f"(or data=) to the folder that holds {LAYOUT}."
)


class GameFile(msgspec.Struct):
    """The content of one ``game.tw-pddl``."""

    pddl_domain: str
    pddl_problem: str
    grammar: str
    solvable: bool
    walkthrough: list[str]


class Game(NamedTuple):
    """One game, read and checked."""

    id: str
    """``<task type>-<objects>/<trial>``"""
    path: Path
    file: GameFile

    @property
    def dialect(self) -> str:
        """How the game's grammar words putting something down: ``move … to …`` or ``put … in/on …``."""
        found = re.search(r'action PutObject\s*\{\s*template\s*::\s*"([^"]*)"', self.file.grammar)
        return re.sub(r"\{\w+\}", "…", found[1]) if found else "unknown"


class GameSet(NamedTuple):
    """The games an environment draws from."""

    folder: Path
    """The folder of the split."""
    ids: tuple[str, ...]
    """In a fixed shuffled order, in which adding a game moves no two others past each other."""

    def pick(self, seed: int) -> str:
        """The game of a seed: consecutive seeds give different games until all were given."""
        return self.ids[seed % len(self.ids)]

    def require(self, game_id: str) -> str:
        """`game_id`, if it is one of these games.

        Raises:
            UnknownIdError: it is not; the message names the nearest.
        """
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
    types = _known("ALFWorld task type", task_type, TASK_TYPES)
    (split,) = _known("ALFWorld split", split, SPLITS)
    folder = _data_folder(data) / LAYOUT / split
    if not folder.is_dir():
        raise MissingDataError(f"There is no folder {folder}. {HOW_TO_GET}")
    playable = [game for game in list_games(folder, cache) if _playable(game)]
    if not playable:
        raise MissingDataError(f"{folder} holds no {GAME_FILE}. {HOW_TO_GET}")
    games = GameSet(folder, tuple(sorted((game for game in playable if _type(game) in types), key=_shuffle_key)))
    if game_id is not None:
        wanted = {games.require(game) for game in _listed(game_id)}
        games = games._replace(ids=tuple(game for game in games.ids if game in wanted))
    if not games.ids:
        raise ConfigError(f"None of the {len(playable)} games in {folder} fits task_type={task_type!r}, {game_id=}.")
    return games


def describe_data(data: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None) -> str:
    """Where the games lie and how many each split holds.

    Raises:
        MissingDataError: the folder is missing or holds no split; the message says how to get it.
    """
    folder = _data_folder(data)
    splits = [split for split in SPLITS if (folder / LAYOUT / split).is_dir()]
    if not splits:
        raise MissingDataError(f"There is no split in {folder / LAYOUT}. {HOW_TO_GET}")
    counts = [f"{split} {len(find_games(folder, split, cache=cache).ids)}" for split in splits]
    return f"{folder}: {', '.join(counts)} games"


def read_game(folder: Path, game_id: str) -> Game:
    """Read one game of the split in `folder`.

    Raises:
        MissingDataError: its file is gone.
        EnvError: the file is damaged, or the game is marked as unsolvable or has no walkthrough.
    """
    path = folder / game_id / GAME_FILE
    try:
        file = msgspec.json.decode(path.read_bytes(), type=GameFile)
    except FileNotFoundError as cause:
        raise MissingDataError(f"There is no file {path}. {HOW_TO_GET}") from cause
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as cause:
        raise EnvError(f"{path} is not a readable ALFWorld game: {cause}. Download it again.", str(path)) from cause
    if not file.solvable:
        raise EnvError(f"{path} is marked as not solvable; leave this game out.", str(path))
    if not file.walkthrough:
        raise EnvError(f"{path} holds an empty walkthrough; download it again or leave this game out.", str(path))
    return Game(game_id, path, file)


def _data_folder(data: str | os.PathLike[str] | None) -> Path:
    chosen = data or os.environ.get("ALFWORLD_DATA")
    folder = Path(chosen or "~/.cache/alfworld").expanduser()
    if folder.is_dir():
        return folder
    seen = f"{folder} is not a folder" if chosen else f"ALFWORLD_DATA is not set, and there is no {folder}"
    raise MissingDataError(f"ALFWorld's games are missing: {seen}. {HOW_TO_GET}")


def _known(kind: str, names: str | Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(known) if names is None else _listed(names)
    for name in chosen:
        if name not in known:
            raise UnknownIdError(kind, str(name), known)
    return chosen


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _type(game_id: str) -> str:
    return game_id.partition("-")[0]


def _playable(game_id: str) -> bool:
    # ALFWorld's own loader leaves out tasks with sliced objects too: text games cannot check them.
    return _type(game_id) in TASK_TYPES and "Sliced" not in game_id


def _shuffle_key(game_id: str) -> bytes:
    return hashlib.sha256(game_id.encode()).digest()
