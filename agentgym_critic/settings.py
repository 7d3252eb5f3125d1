"""Settings that users name one by one, checked before what takes them is called.

The annotations of the callee are the only description of a setting. Those made of plain types are
checked; what else there is, and what a value means, is the callee's business.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from agentgym_critic.errors import ConfigError, abridged

__all__ = ["check_settings", "folder_of", "names_of"]


class _Plain(NamedTuple):
    """A type that is checked."""

    values: type[Any]
    """What its values are instances of."""
    one: str
    many: str


_WHOLE, _TRUTH = _Plain(Integral, "a whole number", "whole numbers"), _Plain(bool, "true or false", "booleans")
_NUMBER, _TEXT = _Plain(Real, "a number", "numbers"), _Plain(str, "text", "texts")
_PATH, _NONE = _Plain(os.PathLike, "a path", "paths"), _Plain(NoneType, "None", "None")
_LIST, _TABLE = _Plain(Sequence, "a list", "lists"), _Plain(Mapping, "a dictionary", "dictionaries")

_PLAIN: dict[Any, _Plain] = {
    int: _WHOLE,
    bool: _TRUTH,
    float: _NUMBER,
    str: _TEXT,
    NoneType: _NONE,
    **dict.fromkeys((os.PathLike, Path), _PATH),
    **dict.fromkeys((Sequence, list, tuple), _LIST),
    **dict.fromkeys((Mapping, dict), _TABLE),
}


def check_settings(what: str, factory: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Refuse settings that `factory` does not take, that are of another type, or that lack one it needs.

    Args:
        what: whose settings they are, as the subject of the message.
        factory: a class or function; `functools.partial` hides what is not the user's to set.
        settings: its keyword arguments.

    Raises:
        ConfigError: the call would fail; the message names the setting, and what it is or which there are.
    """
    signature = inspect.signature(factory)
    try:
        signature.bind(**settings)
    except TypeError as cause:
        bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
        taken = signature.replace(parameters=bare, return_annotation=signature.empty)
        raise ConfigError(f"{what}: {cause}; it takes {taken}") from cause
    meanings = _meanings(factory)
    for name in filter(signature.parameters.__contains__, settings):
        kind = _resolved(signature.parameters[name].annotation, meanings)
        if not _fits(settings[name], kind):
            raise ConfigError(f"{what}: {name} is {_worded(kind)}, got {abridged(settings[name])}")


def names_of(setting: str, names: object) -> tuple[str, ...]:
    """The names in a setting that takes one or several.

    Raises:
        ConfigError: there is none, or it is something else.
    """
    several = (names,) if isinstance(names, str) else names
    if isinstance(several, Sequence) and several and all(isinstance(name, str) for name in several):
        return tuple(several)
    raise ConfigError(f"{setting} is a name or a list of at least one, got {abridged(names)}")


def folder_of(setting: str, folder: str | os.PathLike[str] | None) -> Path | None:
    """The folder that a setting names, which need not be there; None if it names none.

    Raises:
        ConfigError: nothing can have that name.
    """
    if folder is None:
        return None
    name = os.fspath(folder)
    try:
        path = Path(name).expanduser()
    except RuntimeError as cause:
        raise ConfigError(f"{setting} is {abridged(name)}, and there is no such user") from cause
    if not name or "\0" in name:
        raise ConfigError(f"{setting} is {abridged(name)}, which names no folder; leave it out for the usual one")
    return path


def _meanings(factory: Any) -> dict[str, Any]:
    """What the names in the annotations of a factory stand for."""
    while isinstance(factory, partial):
        factory = factory.func
    function = factory.__init__ if isinstance(factory, type) else factory  # type: ignore[misc]
    meanings: dict[str, Any] | None = getattr(function, "__globals__", None)
    return vars(sys.modules[factory.__module__]) if meanings is None else meanings


def _resolved(annotation: Any, meanings: dict[str, Any]) -> Any:
    """The type that an annotation stands for; `Any` where that cannot be told."""
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"it": annotation}), meanings)["it"]
    except Exception:  # it may name what only type checkers see
        return Any


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, as far as the type is plain. A list will do for a tuple: JSON has no other."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    plain = _PLAIN.get(origin)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return any(_fits(value, type(each)) and value == each for each in inner)
    if plain is None:
        return True
    if not isinstance(value, plain.values) or (isinstance(value, bool) and plain is not _TRUTH):
        return False
    if plain is _LIST:
        return not isinstance(value, str | bytes) and _items_fit(value, inner)
    if plain is _TABLE:
        return all(all(map(_fits, pair, inner)) for pair in value.items())
    return True


def _items_fit(values: Sequence[Any], inner: tuple[Any, ...]) -> bool:
    kinds = inner if _one_each(inner) else inner[:1] * len(values)
    return not inner or (len(kinds) == len(values) and all(map(_fits, values, kinds)))


def _one_each(inner: tuple[Any, ...]) -> bool:
    """Whether each item of a list has a type of its own between the brackets."""
    return len(inner) > 1 and inner[-1] is not Ellipsis


def _worded(kind: Any) -> str:
    """A type that was checked, in words."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(map(_worded, inner))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    plain = _PLAIN[origin]
    items = _PLAIN.get(get_origin(inner[0]) or inner[0]) if plain is _LIST and inner else None
    count = f"{len(inner)} " if _one_each(inner) else ""
    return f"{plain.one} of {count}{items.many}" if items else plain.one
