"""TextWorld games that somebody else made: ``.json`` files, compiled or not, one by one or in a folder.

textworld's data on a game, its ``.json``, holds all of it. A ``.z8`` beside it is played as it is;
without one, or beside a ``.ulx`` (which textworld 1.7 no longer plays), the same game is compiled
from its data, once.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.cache import cache_folder
from agentgym_critic.envs.jericho.story import read_story
from agentgym_critic.envs.textworld.games import STORY, generator_folder, make_game
from agentgym_critic.errors import ConfigError, MissingDataError

__all__ = ["GameFile", "find_games", "story_of"]

_ENDINGS = (".json", ".ulx", ".z8")

_PARTS = {"world": list, "quests": list, "KB": dict, "metadata": dict}
"""What every game's data have, among other things."""


class GameFile(NamedTuple):
    """A game on disk."""

    data: Path
    """textworld's ``.json``."""
    story: Path | None
    """The compiled ``.z8`` beside it."""

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.data.stem


def find_games(path: str | os.PathLike[str]) -> tuple[GameFile, ...]:
    """The games of a folder, sorted by name, or the one of a file.

    Raises:
        MissingDataError: there is no such file or folder.
        ConfigError: there is no game in it, or one without its data.
    """
    place = Path(path).absolute()
    if not place.exists():
        raise MissingDataError(f"there are no TextWorld games at {place}; name a folder of them, or one file")
    files = [place] if place.is_file() else sorted(place.iterdir())
    stems = dict.fromkeys(file.with_suffix("") for file in files if file.suffix in _ENDINGS)
    if not stems:
        raise ConfigError(f"{place} holds no TextWorld games: none of its files ends in {', '.join(_ENDINGS)}")
    return tuple(_game(stem) for stem in stems)


def story_of(game: GameFile, cache: str | os.PathLike[str] | None = None) -> Path:
    """The compiled game, a ``.z8`` with its ``.json`` beside it, in the cache.

    Raises:
        ConfigError: a file is damaged, or the cache folder cannot be written.
        EnvError: textworld could not compile the game.
    """
    data = _checked(game.data)
    story = read_story(game.story).path if game.story else None
    digest = hashlib.sha256(data + (story.read_bytes() if story else b"")).hexdigest()
    folder = generator_folder(Path(cache) if cache else cache_folder()) / "files" / digest[:32]
    if not (folder / STORY).is_file():
        make_game(folder, {"data": str(game.data), "compiled": None if story is None else str(story)})
    return folder / STORY


def _game(stem: Path) -> GameFile:
    data, story = (stem.with_name(stem.name + ending) for ending in (".json", ".z8"))
    if not data.is_file():
        raise ConfigError(f"the game {stem} has no {data.name} beside it, which holds its logic; copy that too")
    return GameFile(data, story if story.is_file() else None)


def _checked(file: Path) -> bytes:
    data = file.read_bytes()
    try:
        game: Any = msgspec.json.decode(data)
    except msgspec.DecodeError as cause:
        raise ConfigError(f"{file} is no TextWorld game, or damaged: {cause}; get it anew") from cause
    missing = [key for key, kind in _PARTS.items() if not isinstance(game, dict) or not isinstance(game.get(key), kind)]
    if missing:
        raise ConfigError(f"{file} is no TextWorld game: it lacks {', '.join(missing)}; get it anew")
    return data
