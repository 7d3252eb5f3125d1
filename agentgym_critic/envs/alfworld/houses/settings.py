"""`HouseSettings`: what generated games are to be like, refused at once where no game can be so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from agentgym_critic.envs.alfworld.houses.dialect import DIALECTS
from agentgym_critic.envs.alfworld.houses.tables import ROOMS, lookalikes
from agentgym_critic.envs.alfworld.houses.tasks import TYPES, Task, possible_tasks
from agentgym_critic.envs.alfworld.layout import TASK_TYPES
from agentgym_critic.errors import ConfigError, UnknownIdError, abridged
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Record

__all__ = ["Choices", "HouseSettings", "choices"]

GENERATOR = 1
"""Raised whenever a seed gives another game than before under the same settings."""

MOST_THINGS = 100

NUMBERS = {"receptacles": 1, "objects": 1, "distractors": 0, "spares": 0, "min_solution": 1}
"""The settings that are numbers, each with the least it may be."""

Choices: TypeAlias = dict[str, dict[str, tuple[Task, ...]]]
"""Tasks by type and room; no entry is empty."""


class HouseSettings(Record, frozen=True):
    """What generated games are to be like. None leaves a choice or number to the seed.

    Raises:
        ConfigError: no game can be like this; the message says why and what to change.
    """

    room: str | tuple[str, ...] | None = None
    """One or several of ``"kitchen"``, ``"livingroom"``, ``"bedroom"``, ``"bathroom"``."""
    task_type: str | tuple[str, ...] | None = None
    """One or several of the six task types."""
    receptacles: int | None = None
    """How many receptacles there are."""
    objects: int | None = None
    """How many things that can be carried there are, at most 100: wanted ones, spares, distractors and all others."""
    distractors: int | None = None
    """How many things are easily mistaken for what is wanted: of another kind of its family, as a cup for a mug."""
    spares: int | None = None
    """How many things of the wanted kind there are beyond those needed; any of them will do."""
    min_solution: int = 1
    """Commands of the shortest solution, at least."""
    dialect: str = "move"
    """How putting something down is worded: ``"move"`` for ``move … to …``, ``"put"`` for ``put … in/on …``."""

    def __post_init__(self) -> None:
        """Refuse what no game can be."""
        for name in ("room", "task_type"):
            if isinstance(value := getattr(self, name), list):
                msgspec.structs.force_setattr(self, name, tuple(value))
        _check_names("kind of room", self.rooms, ROOMS)
        _check_names("ALFWorld task type", self.task_types, TASK_TYPES)
        _check_names("dialect", [self.dialect], DIALECTS)
        for name, least in NUMBERS.items():
            _check_number(name, getattr(self, name), least, optional=name != "min_solution")
        choices(self)

    @property
    def rooms(self) -> tuple[str, ...]:
        """The kinds of rooms to choose from."""
        return tuple(ROOMS) if self.room is None else _listed(self.room)

    @property
    def task_types(self) -> tuple[str, ...]:
        """The task types to choose from."""
        return TASK_TYPES if self.task_type is None else _listed(self.task_type)

    @property
    def version(self) -> str:
        """Eight hexadecimal digits: while they are the same, each seed is the same game."""
        return fingerprint(GENERATOR, self)


class Limit(NamedTuple):
    """One reason why a room or task type may be impossible."""

    keeps: Callable[[str, str], bool]
    """Whether a room and task type are possible."""
    asked: str
    """The settings that decide it."""
    advice: str
    """What they may be."""


@lru_cache(maxsize=256)
def choices(settings: HouseSettings) -> Choices:
    """The tasks that games of these settings may have.

    Raises:
        ConfigError: there are none for a room or task type that was asked for by name, or none at all.
    """
    if () in (settings.room, settings.task_type):
        asked = f"room={settings.room!r} and task_type={settings.task_type!r}"
        raise ConfigError(f"there are no games with {asked}: name at least one of each, or leave it out for any")
    pairs = [(room, task_type) for room in settings.rooms for task_type in settings.task_types]
    named = {*_listed(settings.room or ()), *_listed(settings.task_type or ())}
    for keeps, asked, advice in _limits(settings):
        pairs = [pair for pair in pairs if keeps(*pair)]
        if not pairs or named.difference(*pairs):
            raise ConfigError(f"there are no games with {asked}: {advice}")
    found: Choices = {}
    for room, task_type in pairs:
        found.setdefault(task_type, {})[room] = _tasks(settings, room, task_type, settings.min_solution)
    return found


def _limits(settings: HouseSettings) -> Iterator[Limit]:
    rooms, types = settings.rooms, settings.task_types
    yield Limit(
        lambda room, task_type: bool(_tasks(settings, room, task_type)),
        f"room={settings.room!r} and task_type={settings.task_type!r}",
        "; ".join(f"{each} is possible in {', '.join(_rooms_for(settings, each))}" for each in types),
    )
    if (receptacles := settings.receptacles) is not None:
        yield Limit(
            lambda room, task_type: _least_places(task_type) <= receptacles <= _most_places(room),
            f"{receptacles=}",
            f"needed are {_each(_least_places, types)}, and at most there are {_each(_most_places, rooms)}",
        )
    objects, distractors, spares = settings.objects, settings.distractors or 0, settings.spares or 0
    yield Limit(
        lambda room, task_type: _wanted(task_type) + distractors + spares <= (objects or MOST_THINGS) <= MOST_THINGS,
        f"{objects=}, {distractors=} and {spares=}",
        f"beside these, {_each(_wanted, types)} are needed, and at most there are {MOST_THINGS} objects",
    )
    yield Limit(
        lambda room, task_type: bool(_tasks(settings, room, task_type, settings.min_solution)),
        f"min_solution={settings.min_solution}",
        f"the longest shortest solutions are {_each(_longest, types)}",
    )


def _tasks(settings: HouseSettings, room: str, task_type: str, min_solution: int = 1) -> tuple[Task, ...]:
    return tuple(
        task
        for task in possible_tasks(room, task_type)
        if (lookalikes(room, task.thing) or not settings.distractors) and task.allows(room, min_solution)
    )


def _rooms_for(settings: HouseSettings, task_type: str) -> list[str]:
    return [room for room in ROOMS if _tasks(settings, room, task_type)]


def _least_places(task_type: str) -> int:
    return 1 if task_type == "look_at_obj_in_light" else 2


def _most_places(room: str) -> int:
    return sum(ROOMS[room].places.values())


def _wanted(task_type: str) -> int:
    return TYPES[task_type].wanted


def _longest(task_type: str) -> int:
    return TYPES[task_type].longest


def _each(number: Callable[[str], int], names: Iterable[str]) -> str:
    return ", ".join(f"{number(name)} ({name})" for name in names)


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else (names,)


def _check_names(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in tuple(known):
            raise UnknownIdError(kind, name, known)


def _check_number(name: str, value: object, least: int, *, optional: bool) -> None:
    if value is None and optional:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name} is a whole number from {least}, got {abridged(value)}")
