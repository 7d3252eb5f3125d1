"""The levels of the package minigrid, which is imported here and when it is needed.

What a level is, is minigrid's business: this module finds, makes, copies and tells them apart.
"""

from __future__ import annotations

import copy
import re
from importlib import import_module
from typing import Any

import gymnasium

from agentgym_critic.envs.adapter import fixed_parts
from agentgym_critic.errors import UnknownIdError, require

__all__ = ["copy_level", "level_names", "level_state", "make_level"]

_ID = re.compile(r"BabyAI-(?P<name>\w+)-v\d+")


def level_names() -> list[str]:
    """The names of all levels, sorted.

    Raises:
        MissingExtraError: minigrid is not installed.
    """
    return sorted(_ids())


def make_level(name: str) -> Any:
    """A level of minigrid, unwrapped.

    Raises:
        UnknownIdError: no such level; the message names the nearest.
        MissingExtraError: minigrid is not installed.
    """
    ids = _ids()
    if name not in ids:
        raise UnknownIdError("BabyAI level", str(name), ids)
    # It prints each draw it rejects.
    vars(import_module("minigrid.envs.babyai.core.roomgrid_level"))["print"] = lambda *_: None
    return gymnasium.make(ids[name], disable_env_checker=True).unwrapped


def copy_level(env: Any) -> Any:
    """An independent copy. Walls never change and are shared: most of a level is walls."""
    walls = [cell for cell in env.grid.grid if cell is not None and cell.type == "wall"]
    return copy.deepcopy(env, {id(part): part for part in (*fixed_parts(env), *walls)})


def level_state(env: Any) -> str:
    """All that decides what can still happen, as text: equal exactly when the states are equal."""
    cells = [(place, cell) for place, cell in enumerate(env.grid.grid) if cell is not None]
    walls = [place for place, cell in cells if cell.type == "wall"]
    things = [(place, _thing(cell)) for place, cell in cells if cell.type != "wall"]
    player = _ints(env.agent_pos), int(env.agent_dir), _thing(env.carrying)
    return repr((env.mission, env.width, walls, things, player, _progress(env.instrs)))


def _ids() -> dict[str, str]:
    """For each level's name its id, the latest version of it."""
    require("minigrid", "babyai", "BabyAI")
    matches = filter(None, map(_ID.fullmatch, sorted(gymnasium.registry)))
    return {match["name"]: match[0] for match in matches}


def _thing(thing: Any) -> Any:
    """An object, known by where it was at first, and its state; None for none."""
    if thing is None:
        return None
    state = getattr(thing, "is_open", None), getattr(thing, "is_locked", None)
    return thing.type, thing.color, _ints(thing.init_pos), state, _thing(thing.contains)


def _progress(instruction: Any) -> Any:
    """How far an instruction has been carried out."""
    if hasattr(instruction, "instr_a"):
        parts = instruction.instr_a, instruction.instr_b
        return instruction.a_done, instruction.b_done, *map(_progress, parts)
    descriptions = [getattr(instruction, name, None) for name in ("desc", "desc_move", "desc_fixed")]
    places = [list(map(_ints, each.obj_poss)) for each in descriptions if each]
    return type(instruction).__name__, places, _thing(getattr(instruction, "preCarrying", None))


def _ints(place: Any) -> tuple[int, ...] | None:
    return None if place is None else tuple(map(int, place))
