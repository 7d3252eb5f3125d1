"""`ProceduralGames`: houses made from seeds, as what an `AlfworldEnv` plays. It needs no data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.envs.alfworld.files import SHARED, Game
from agentgym_critic.envs.alfworld.houses import HouseSettings, generate_game
from agentgym_critic.errors import ConfigError, UnknownIdError, abridged
from agentgym_critic.settings import check_settings, names_of

__all__ = ["ProceduralGames", "make_houses"]

SEED = re.compile(r"/seed_(\d{1,4000})-")
"""Python reads no number of more than 4,300 digits."""


class ProceduralGames(NamedTuple):
    """A house for every seed: a `GameSource` without end."""

    settings: HouseSettings

    @property
    def version(self) -> str:
        """The split and the version of the settings."""
        return f"games procedural {self.settings.version}"

    @property
    def ids(self) -> None:
        """None: there is no last one."""

    @property
    def report(self) -> None:
        """None: there is no official split to compare with."""

    def pick(self, seed: int) -> Game:
        """The house of a seed.

        Raises:
            ConfigError: no house of this seed is as asked for.
        """
        return _made(seed, self.settings)

    def require(self, game_id: str) -> Game:
        """The house of that name, if these settings make one.

        Raises:
            UnknownIdError: they do not; the message names the house of the same seed.
        """
        seed = SEED.search(game_id)
        game = self.pick(int(seed[1]) if seed else 0)
        if game.id != game_id:
            raise UnknownIdError("generated house", game_id, [game.id], f"These are made by {self.settings}.")
        return game


def make_houses(
    houses: HouseSettings | Mapping[str, Any] | None = None, task_type: str | Sequence[str] | None = None
) -> ProceduralGames:
    """The houses that some settings make.

    Args:
        houses: the settings, or their values by name; None leaves all to the seeds.
        task_type: one or several task types; None for what `houses` says.

    Raises:
        ConfigError: no game can be like this, or a setting is unknown or given twice.
    """
    settings = houses if isinstance(houses, HouseSettings) else _settings({} if houses is None else houses)
    if task_type is not None:
        if settings.task_type is not None:
            raise ConfigError(f"{task_type=} and houses with task_type={settings.task_type!r} are given; leave out one")
        named = task_type if isinstance(task_type, str) else names_of("task_type", task_type)
        settings = msgspec.structs.replace(settings, task_type=named)
    return ProceduralGames(settings)


def _settings(values: Mapping[str, Any]) -> HouseSettings:
    if not isinstance(values, Mapping):
        raise ConfigError(f'houses are settings by name, for example {{"room": "kitchen"}}; got {abridged(values)}')
    check_settings("houses", HouseSettings, values)
    return HouseSettings(**values)


@lru_cache(maxsize=SHARED)
def _made(seed: int, settings: HouseSettings) -> Game:
    return generate_game(seed, settings)
