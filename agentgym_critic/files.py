"""Write a file whole or not at all. Knows nothing of what is in it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym_critic.errors import ConfigError, StoreFullError

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A draft beside `path` that takes its place, on the disk, once the block has ended without an error.

    The draft is the block's to create, and gone after an error. Threads and processes that
    write the same file at once do not mix: the last one's is kept.

    Args:
        path: where the file is to be.
        overwrite: whether it may replace one.

    Raises:
        ConfigError: `path` exists and may not be replaced, or its folder is missing.
        StoreFullError: the disk is full, or the file may not be written.
    """
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; name another file or pass overwrite=True (--overwrite)")
    if not path.parent.is_dir():
        raise ConfigError(f"{path} cannot be written: there is no folder {path.parent}")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        yield draft
        with draft.open("r+b") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as cause:
        raise StoreFullError(f"{path} could not be written: {cause}") from cause
    finally:
        draft.unlink(missing_ok=True)
