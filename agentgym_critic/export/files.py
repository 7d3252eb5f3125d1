"""Write a file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym_critic.errors import ConfigError, StoreFullError

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place once the block has ended without an error.

    Args:
        path: where the file is to be.
        overwrite: whether it may replace one.

    Raises:
        ConfigError: `path` exists and may not be replaced, or its folder is missing.
        StoreFullError: the disk is full, or the file may not be written.
    """
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; name another file or pass overwrite=True (--overwrite)")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ConfigError(f"{path} cannot be written: there is no folder {path.parent}")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    except OSError as cause:
        raise StoreFullError(f"{path} could not be written: {cause}") from cause
    finally:
        part.unlink(missing_ok=True)
