"""Compiled games, shared by content: a game is compiled once however many play it.

A world lives as long as someone plays it; the last few are kept besides. Who waits, waits for
the game that they want: a slow one holds up nobody else.
"""

from __future__ import annotations

import hashlib
import threading
import weakref

from agentgym_critic.envs.alfworld.files import Game, GameFile
from agentgym_critic.envs.alfworld.native.world import World
from agentgym_critic.errors import EnvError, boundary

__all__ = ["world_of"]

KEPT = 64
"""Worlds kept though nobody plays them: about 0.5 MB each, up to 4 MB more once the planner was asked."""

_alive: weakref.WeakValueDictionary[bytes, World] = weakref.WeakValueDictionary()
_latest: dict[bytes, World] = {}
"""The one played last at the end."""
_compiling: weakref.WeakValueDictionary[bytes, threading.Lock] = weakref.WeakValueDictionary()
"""A lock for each game that is being compiled, as long as someone holds it or waits for it."""
_lock = threading.Lock()
"""Of the three above; held for moments only."""


def world_of(game: Game) -> World:
    """The compiled form of a game.

    Raises:
        EnvError: the game cannot be compiled; the message says what is wrong, and in which file.
    """
    key = _digest(game.file)
    with _lock:
        turn = _compiling.setdefault(key, threading.Lock())
    with turn:
        world = _alive.get(key) or _compiled(game)
        with _lock:
            _keep(key, world)
    return world


def _compiled(game: Game) -> World:
    with boundary(f"ALFWorld game {game.path}", EnvError):
        try:
            return World(game.file)
        except EnvError as error:
            raise game.fault(error) from error


def _keep(key: bytes, world: World) -> None:
    _alive[key] = world
    _latest.pop(key, None)
    _latest[key] = world
    if len(_latest) > KEPT:
        del _latest[next(iter(_latest))]


def _digest(file: GameFile) -> bytes:
    hashed = hashlib.blake2b(digest_size=16)
    for part in (file.pddl_domain, file.pddl_problem, file.grammar):
        hashed.update(part.encode(errors="surrogatepass") + b"\0")
    return hashed.digest()
