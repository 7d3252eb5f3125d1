"""ALFWorld: household tasks in text, on the official games or in generated houses. See `make_alfworld`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentgym_critic.envs.alfworld.engine import Engine
from agentgym_critic.envs.alfworld.env import AlfworldEnv
from agentgym_critic.envs.alfworld.layout import describe_data
from agentgym_critic.envs.alfworld.source import find_source
from agentgym_critic.errors import UnknownIdError

if TYPE_CHECKING:
    from agentgym_critic.envs.alfworld.houses import HouseSettings

__all__ = ["AlfworldEnv", "Engine", "describe_data", "make_alfworld"]

ENGINES = {
    "native": "agentgym_critic.envs.alfworld.native.engine:NativeEngine",
    "reference": "agentgym_critic.envs.alfworld.reference:ReferenceEngine",
}
"""Where each engine lives; named here, imported when used."""


def make_alfworld(
    engine: str = "native",
    *,
    split: str = "train",
    task_type: str | Sequence[str] | None = None,
    game_id: str | Sequence[str] | None = None,
    data: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    houses: HouseSettings | Mapping[str, Any] | None = None,
    max_steps: int | None = 50,
    render_mode: str | None = None,
) -> AlfworldEnv:
    """Build ``agentgym_critic/ALFWorld-v0``.

    Args:
        engine: what runs the games: ``"native"`` is ours; ``"reference"`` is ALFWorld's own, through textworld.
        split: ``"train"``, ``"valid_train"``, ``"valid_seen"`` or ``"valid_unseen"``, where seed ``s`` plays
            game ``s`` modulo the number of games, in a fixed shuffled order; or ``"procedural"``, where
            every seed makes a house of its own, and no data are needed.
        task_type: one or several of the six task types; None for all.
        game_id: one or several games of a folder, ``"<task folder>/<trial folder>"``; None for all.
        data: the folder that holds ``json_2.1.1``; None for ``$ALFWORLD_DATA``.
        cache: folder for the index of games; None for the user's cache folder.
        houses: what procedural houses are like: `HouseSettings`, or their values by name.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        UnknownIdError: no such engine (a ConfigError); the message names the known ones.
        ConfigError: a setting is refused, or no game fits.
        MissingExtraError: the engine's packages are not installed.
        MissingDataError: the games are not on this machine.
    """
    if engine not in ENGINES:
        raise UnknownIdError("ALFWorld engine", engine, ENGINES)
    module, _, name = ENGINES[engine].partition(":")
    games = find_source(split, task_type=task_type, game_id=game_id, data=data, cache=cache, houses=houses)
    made_of = getattr(importlib.import_module(module), name)
    return AlfworldEnv(made_of, games, max_steps=max_steps, render_mode=render_mode)
