"""Games from seeds: a house, a task in it, and a shortest way to do it.

A house is drawn again until it is as asked for and is none of the official validation games.
Everything follows from the seed and the settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.houses.dialect import DIALECTS
from agentgym_critic.envs.alfworld.houses.dice import Dice
from agentgym_critic.envs.alfworld.houses.draw import draw_house
from agentgym_critic.envs.alfworld.houses.hashing import house_fingerprint, validation_fingerprints
from agentgym_critic.envs.alfworld.houses.house import House
from agentgym_critic.envs.alfworld.houses.settings import HouseSettings
from agentgym_critic.envs.alfworld.houses.solve import search
from agentgym_critic.envs.alfworld.houses.tasks import Task
from agentgym_critic.envs.alfworld.houses.write import write_game
from agentgym_critic.envs.alfworld.index import GAME_FILE
from agentgym_critic.errors import ConfigError

__all__ = ["Household", "generate_game", "generate_household"]

ANY = HouseSettings()
"""All is left to the seed."""

TRIES = 2000
"""Houses drawn for one game, at most."""

WAYS = 500_000
"""Ways looked at for one game, at most: about a second."""


class Household(NamedTuple):
    """What a game is made of."""

    house: House
    task: Task
    sentence: str
    """The task as the player reads it."""
    solution: tuple[str, ...]
    """The commands of a shortest way to do it."""


def generate_game(seed: int, settings: HouseSettings = ANY) -> Game:
    """The game of a seed.

    Args:
        seed: a whole number from 0.
        settings: what the game is to be like.

    Raises:
        ConfigError: the seed is none, or none of the houses drawn is as asked for.
    """
    house, task, sentence, solution = generate_household(seed, settings)
    name = f"{task.type}-{task.thing}-None-{task.place}-{house.room}/seed_{seed}-{settings.version}"
    file = write_game(house, task, sentence, solution, DIALECTS[settings.dialect])
    return Game(name, Path("procedural") / name / GAME_FILE, file)


def generate_household(seed: int, settings: HouseSettings = ANY) -> Household:
    """The house, task and solution of a seed, before they are written as a game.

    Args:
        seed: a whole number from 0.
        settings: what the game is to be like.

    Raises:
        ConfigError: the seed is none, or none of the houses drawn is as asked for.
    """
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise ConfigError(f"the seed of a house is a whole number from 0, got {seed!r}")
    dice, longest, ways, tries = Dice(seed), 0, 0, 0
    while tries < TRIES and ways < WAYS:
        tries += 1
        if (drawn := draw_house(dice, settings)) is None:
            continue
        solution, looked_at = search(*drawn, DIALECTS[settings.dialect], settings.min_solution)
        assert solution, "a house is drawn with all that its task needs"
        ways += looked_at
        if len(solution) >= settings.min_solution and house_fingerprint(*drawn) not in validation_fingerprints():
            return Household(*drawn, drawn[1].sentence(dice.between(0, 1)), solution)
        if len(solution) > longest:  # it may not be a shortest one
            solution, looked_at = search(*drawn, DIALECTS[settings.dialect])
            longest, ways = max(longest, len(solution)), ways + looked_at
    raise ConfigError(
        f"{tries} houses were drawn from seed {seed} for {settings}, and none is as asked for: "
        + (f"the longest shortest solution has {longest} commands" if longest else "too few receptacles for the things")
        + "; lower min_solution, distractors or objects, or raise receptacles"
    )
