"""`whole`: a setting that is a whole number within a range."""

from __future__ import annotations

from agentgym_critic.errors import ConfigError

__all__ = ["whole"]


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number within its range.

    Raises:
        ConfigError: it is none, or is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ConfigError(f"{name} is a whole number from {least} to {most}; got {value!r}")
    return value
