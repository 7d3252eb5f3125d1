"""Warnings of the library, as a user of the command line sees them: a line each, on standard error."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from agentgym_critic.terminal import printable

__all__ = ["notices"]


class _Notices(logging.Handler):
    """Shows each message once, however often it comes, and no traceback."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = printable(record.getMessage())
        if message not in self._shown:
            self._shown.add(message)
            click.echo(f"Warning: {message}", err=True)


@contextmanager
def notices() -> Iterator[None]:
    """While this lasts, what the library warns of is shown."""
    logger, handler = logging.getLogger("agentgym_critic"), _Notices()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
