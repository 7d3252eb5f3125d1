"""Where ALFWorld's games lie: the folder of the data, its splits, and which games of a split text can play.

The official layout is ``json_2.1.1/<split>/<task type>-<objects>/<trial>/game.tw-pddl``. No game
is opened here.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentgym_critic.envs.alfworld.index import list_games
from agentgym_critic.envs.alfworld.splits import examine_split
from agentgym_critic.errors import ConfigError, MissingDataError, UnknownIdError
from agentgym_critic.settings import folder_of

__all__ = [
    "HOW_TO_GET",
    "PROCEDURAL",
    "SPLITS",
    "TASK_TYPES",
    "describe_data",
    "playable_games",
    "split_folder",
    "split_folders",
    "task_type_of",
]

SPLITS = ("train", "valid_train", "valid_seen", "valid_unseen")
"""Those that have files."""

PROCEDURAL = "procedural"
"""The split that has none."""

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
    f"(or data=) to the folder that holds {LAYOUT}; or play generated houses, which need none: split='procedural'."
)


def describe_data(data: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None) -> str:
    """Where the games lie and how each split there compares with the official one.

    Raises:
        MissingDataError: the folder is missing or holds no split; the message says how to get it.
    """
    folders = split_folders(data)
    described = [str(examine_split(name, playable_games(folder, cache))) for name, folder in folders.items()]
    absent = [f"no {name}" for name in SPLITS if name not in folders]
    return f"{_data_folder(data)}: {'; '.join(described + absent)}"


def split_folder(data: str | os.PathLike[str] | None, split: str) -> Path:
    """The folder of a split.

    Raises:
        MissingDataError: it is not there; the message says how to get it.
        UnknownIdError: no such split.
        ConfigError: the split has no files.
    """
    if split == PROCEDURAL:
        raise ConfigError(f"the split {split!r} is made from seeds and has no files; name one of {', '.join(SPLITS)}")
    if split not in SPLITS:
        raise UnknownIdError("ALFWorld split", split, SPLITS)
    base = _data_folder(data)
    folder = base / LAYOUT / split
    if not os.path.isdir(folder):
        raise MissingDataError(f"There is no folder {folder}. {_advice(base)}")
    return folder


def split_folders(data: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """The splits that are there, with their folders.

    Raises:
        MissingDataError: the folder of the data is missing or holds no split; the message says how to get it.
    """
    base = _data_folder(data)
    layout = base / LAYOUT
    folders = {split: layout / split for split in SPLITS if os.path.isdir(layout / split)}
    if not folders:
        raise MissingDataError(f"There is no split in {layout}. {_advice(base)}")
    return folders


def playable_games(folder: Path, cache: str | os.PathLike[str] | None = None) -> list[str]:
    """The games of a split's folder that text can play, sorted; none of it is read.

    Like ALFWorld's own loader, it leaves out tasks with movable receptacles and with sliced
    objects, which text games cannot check.
    """
    return [game for game in list_games(folder, cache) if task_type_of(game) in TASK_TYPES and "Sliced" not in game]


def task_type_of(game_id: str) -> str:
    """The task type that a game's id begins with."""
    return game_id.partition("-")[0]


def _data_folder(data: str | os.PathLike[str] | None) -> Path:
    chosen = folder_of("data", data) or folder_of("ALFWORLD_DATA", os.environ.get("ALFWORLD_DATA") or None)
    folder = chosen or Path("~/.cache/alfworld").expanduser()
    if os.path.isdir(folder):
        return folder
    seen = f"{folder} is not a folder" if chosen else f"ALFWORLD_DATA is not set, and there is no {folder}"
    raise MissingDataError(f"ALFWorld's games are missing: {seen}. {HOW_TO_GET}")


def _advice(base: Path) -> str:
    """What to do about a folder without splits: most often it is one of those inside the right one."""
    for folder in (base, *base.parents):
        if folder.name == LAYOUT:
            return f"Set the variable ALFWORLD_DATA (or data=) to {folder.parent}, the folder that holds {LAYOUT}."
    return HOW_TO_GET
