"""`GameSource`: where an `AlfworldEnv` gets its games from, a folder or a generator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from agentgym_critic.envs.alfworld.files import Game, find_games
from agentgym_critic.envs.alfworld.layout import PROCEDURAL, SPLITS
from agentgym_critic.envs.alfworld.splits import SplitReport
from agentgym_critic.errors import ConfigError, UnknownIdError

if TYPE_CHECKING:
    from agentgym_critic.envs.alfworld.houses import HouseSettings

__all__ = ["GameSource", "find_source"]


class GameSource(Protocol):
    """Games by seed and by id. It pickles, and gives the same game object again while it can."""

    @property
    def version(self) -> str:
        """Which games these are, in short; as long as it is the same, each seed is the same game."""

    @property
    def ids(self) -> tuple[str, ...] | None:
        """The games in the order of the seeds, or None where they have no end."""

    @property
    def report(self) -> SplitReport | None:
        """How the games here compare with an official split, or None where there is none."""

    def pick(self, seed: int) -> Game:
        """The game of a seed.

        Raises:
            EnvError: it cannot be played.
            MissingDataError: its file is gone.
            ConfigError: no game of this seed is as asked for.
        """

    def require(self, game_id: str) -> Game:
        """The game of that name.

        Raises:
            UnknownIdError: it is none of these games; the message says what would be.
            EnvError: it cannot be played.
            MissingDataError: its file is gone.
        """


def find_source(
    split: str = "train",
    *,
    task_type: str | Sequence[str] | None = None,
    game_id: str | Sequence[str] | None = None,
    data: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    houses: HouseSettings | Mapping[str, Any] | None = None,
) -> GameSource:
    """The games of a split.

    Args:
        split: an official split, read from a folder, or ``"procedural"``.
        task_type: one or several task types; None for all.
        game_id: of an official split, one or several games; None for all.
        data: of an official split, the folder that holds ``json_2.1.1``; None as in `find_games`.
        cache: of an official split, the folder for its index.
        houses: of the procedural split, what its houses are like.

    Raises:
        UnknownIdError: no such split, task type or game.
        MissingDataError: the games of an official split are not here.
        ConfigError: a setting has nothing to do with the split, or no game fits.
    """
    if split not in (*SPLITS, PROCEDURAL):
        raise UnknownIdError("ALFWorld split", split, (*SPLITS, PROCEDURAL))
    given = {"game_id": game_id, "data": data, "cache": cache} if split == PROCEDURAL else {"houses": houses}
    if unused := [name for name, value in given.items() if value is not None]:
        kind = "makes its games from seeds" if split == PROCEDURAL else "is read from a folder"
        raise ConfigError(f"the split {split!r} {kind}, so {', '.join(unused)} would be ignored; leave it out")
    if split != PROCEDURAL:
        return find_games(data, split, task_type, game_id, cache)
    from agentgym_critic.envs.alfworld.procedural import make_houses

    return make_houses(houses, task_type)
