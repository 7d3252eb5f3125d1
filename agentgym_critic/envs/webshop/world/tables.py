"""The tables of the generated world: TOML files beside this module."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

__all__ = ["entries", "phrases", "table"]


def table(name: str) -> dict[str, Any]:
    """The content of a file."""
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def entries(text: str) -> tuple[str, ...]:
    """What is listed in a text, parted by commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def phrases(text: str) -> tuple[str, ...]:
    """What is listed in a text, parted by semicolons."""
    return tuple(part.strip() for part in text.split(";") if part.strip())
