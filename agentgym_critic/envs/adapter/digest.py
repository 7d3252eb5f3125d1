"""`state_digest`: one hash for equal values, in any process, of nearly any Python object.

It takes a value apart into numbers, strings, arrays, containers and attributes. Random
generators are left out: they are the luck of an episode, not its state. It cannot look into
objects that neither have attributes nor can be pickled.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence, Set
from enum import Enum
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from agentgym_critic.errors import ConfigError

__all__ = ["state_digest"]

_LUCK = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random)
_FIXED = (gymnasium.Space, EnvSpec, ModuleType, FunctionType, BuiltinFunctionType, MethodType, type)
_UNSAID = frozenset({"_np_random", "_np_random_seed", "spec"})
"""Attributes of `gymnasium.Env` that are no state of the world."""


def state_digest(value: object) -> str:
    """A hash that is equal for equal values: 32 hexadecimal digits.

    Objects are equal if their classes and attributes are, and if the same ones of them are
    identical to each other.

    >>> state_digest({"a": [1, 2], "b": None}) == state_digest({"b": None, "a": [1, 2]})
    True

    Raises:
        ConfigError: a part of it cannot be looked into.
    """
    return _digest(value, {})


def _digest(value: object, seen: dict[int, int]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in _parts(value, seen):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


def _parts(value: Any, seen: dict[int, int]) -> Iterator[bytes]:
    if isinstance(value, np.generic):
        value = value.item()
    yield type(value).__qualname__.encode()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | bytearray):
        yield repr(value).encode(errors="surrogatepass")
    elif isinstance(value, Enum):
        yield value.name.encode()
    elif isinstance(value, np.ndarray):
        yield from _parts((value.dtype.str, value.shape), seen)
        yield from _parts(value.tolist(), seen) if value.dtype.hasobject else [value.tobytes()]
    elif isinstance(value, Mapping):
        for key, item in sorted(((_digest(key, {}), item) for key, item in value.items()), key=itemgetter(0)):
            yield f"{key}{_digest(item, seen)}".encode()
    elif isinstance(value, Set):
        yield from sorted(_digest(item, {}).encode() for item in value)
    elif isinstance(value, Sequence):
        yield from (_digest(item, seen).encode() for item in value)
    elif not isinstance(value, _LUCK + _FIXED):
        yield from _object(value, seen)


def _object(value: Any, seen: dict[int, int]) -> Iterator[bytes]:
    known = id(value) in seen
    yield str(seen.setdefault(id(value), len(seen))).encode()
    if not known:
        for name, item in sorted(_attributes(value).items()):
            yield name.encode()
            yield _digest(item, seen).encode()


def _is_table(name: str, value: object) -> bool:
    """Whether it is the transition table of a toy-text environment: large, and the same all the time."""
    return name == "P" and isinstance(value, Mapping)


def _attributes(value: Any) -> dict[str, Any]:
    if hasattr(value, "__dict__"):
        return {name: item for name, item in vars(value).items() if name not in _UNSAID and not _is_table(name, item)}
    try:
        reduced = value.__reduce_ex__(4)
    except Exception as cause:
        raise ConfigError(
            f"states cannot be told apart by a {type(value).__qualname__}, which has no attributes and cannot be "
            "pickled; pass state=, a function of the environment that returns what tells them apart"
        ) from cause
    return {"name": reduced} if isinstance(reduced, str) else {str(place): part for place, part in enumerate(reduced)}
