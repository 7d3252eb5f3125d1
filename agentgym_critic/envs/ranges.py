"""Settings that are numbers within a range; every world refuses them in the same words."""

from __future__ import annotations

import math
from numbers import Integral

from agentgym_critic.errors import ConfigError, abridged

__all__ = ["amount", "is_whole", "probability", "whole"]


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(name: str, value: int, least: int, most: int | None = None) -> int:
    """A whole number within its range; `most` None for no end.

    Raises:
        ConfigError: it is none, or is out of range.
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        upwards = "" if most is None else f" to {most}"
        raise ConfigError(f"{name} is a whole number from {least}{upwards}, got {abridged(value)}")
    return int(value)


def amount(name: str, value: float) -> float:
    """A number from 0 that a float can hold.

    Raises:
        ConfigError: it is none.
    """
    if not _is_number(value) or not 0 <= value <= _LARGEST_FLOAT:
        raise ConfigError(f"{name} is a finite number from 0, got {abridged(value)}")
    return float(value)


def probability(name: str, value: float) -> float:
    """A number from 0 to 1.

    Raises:
        ConfigError: it is none.
    """
    if not _is_number(value) or not 0 <= value <= 1:
        raise ConfigError(f"{name} is a probability from 0 to 1, got {abridged(value)}")
    return value


_LARGEST_FLOAT = math.nextafter(math.inf, 0.0)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
