"""Names of a package that are imported from its modules when they are first used, so that importing it is cheap."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

__all__ = ["LateModule", "late_exports"]


class LateModule:
    """A module that is imported when something of it is first used.

    Type checkers are to see the real one: import it under ``TYPE_CHECKING``, and make this otherwise.

    Args:
        load: imports the module; `errors.require` names the extra if it is missing.
    """

    def __init__(self, load: Callable[[], ModuleType]) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        """What the module has by that name."""
        return getattr(self._load(), name)


def late_exports(
    package: str, names: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__``.

    Type checkers do not see the names; import them under ``TYPE_CHECKING`` as well.

    Args:
        package: its ``__name__``; it has an ``__all__``, which is what `dir` lists.
        names: for each module of the package the names it is the home of.
    """
    homes = {name: f"{package}.{module}" for module, those in names.items() for name in those}

    def getattribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    def directory() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return getattribute, directory
