"""Where a catalogue comes from: WebShop's product files, or our own world; each is made into a file once.

Files are kept in the cache, under a name that changes when what they were made from does.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from agentgym_critic.cache import cache_folder
from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.catalogue import FORMAT, Catalogue, open_catalogue
from agentgym_critic.envs.webshop.files import SIZES, Entry, find_files
from agentgym_critic.envs.webshop.world import VERSION, generate
from agentgym_critic.errors import ConfigError, NotAStoreError, UnknownIdError

__all__ = ["CATALOGUES", "find_catalogue"]

CATALOGUES = ("procedural", *SIZES)
"""Where products come from."""

ABANDONED_S = 24 * 3600.0
"""After this time without a change a draft belongs to a build that was killed."""


def find_catalogue(
    name: str = "procedural",
    *,
    size: int | None = None,
    seed: int | None = None,
    data: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> Catalogue:
    """A catalogue, made if it is not there yet.

    Args:
        name: ``"procedural"``: products of our own world; ``"small"`` or ``"full"``: those of WebShop's files
            for 1,000 products or for all.
        size: number of procedural products; 1,000 if None.
        seed: of procedural products; 0 if None.
        data: the folder of the files; None for ``$WEBSHOP_DATA``.
        cache: the folder of catalogues; None for the user's cache folder.

    Raises:
        UnknownIdError: no such catalogue.
        ConfigError: a setting does not belong to it, or is out of range.
        MissingDataError: a file of WebShop is not there.
        EnvError: a file of WebShop cannot be read, is damaged, or holds no product.
        StoreError: the catalogue cannot be read or written.
    """
    if name not in CATALOGUES:
        raise UnknownIdError("catalogue", name, CATALOGUES)
    folder = Path(cache) if cache is not None else cache_folder() / "webshop"
    if name == "procedural":
        if data is not None:
            raise ConfigError("data= belongs to the catalogues 'small' and 'full'; catalogue='procedural' needs none")
        return _procedural(folder, 1_000 if size is None else size, seed or 0)
    if size is not None or seed is not None:
        raise ConfigError(f"the size and seed of a catalogue belong to 'procedural', not to {name!r}")
    files = find_files(data, name)
    return _opened(_named(folder, name, files.stamp()), files.entries)


def _procedural(folder: Path, size: int, seed: int) -> Catalogue:
    path = _named(folder, f"procedural-{size}-{seed}", str(VERSION))
    return _opened(path, lambda: generate(size, seed))


def _named(folder: Path, name: str, stamp: str) -> Path:
    digest = hashlib.sha256(f"{FORMAT} {stamp}".encode()).hexdigest()[:12]
    return folder / f"{name}-{digest}.db"


def _opened(path: Path, entries: Callable[[], Iterable[Entry]]) -> Catalogue:
    """The catalogue of a file, made anew if it is missing or damaged."""
    _clear(path.parent)
    if os.path.exists(path):
        with suppress(NotAStoreError):
            return open_catalogue(path)
    build(path, entries())
    return open_catalogue(path)


def _clear(folder: Path) -> None:
    """Remove the drafts of builds that were killed."""
    with suppress(OSError):  # whoever may not read or write here is told so by what comes next
        for draft in folder.glob(".*.db.*.part"):
            if time.time() - draft.stat().st_mtime > ABANDONED_S:
                draft.unlink(missing_ok=True)
