"""Open the SQLite files of this package safely, and say clearly what is wrong with one.

Both stores (the run store and the memory bank) stand on this module: it checks that a file is
one of theirs before touching it, switches it to write-ahead logging, applies numbered migrations
once however many processes open it together, and turns SQLite's errors into `StoreError`s. It
knows no table: those are the stores' own.

Under WAL with ``synchronous=NORMAL`` a committed transaction survives a killed process; a power
failure may lose the latest ones, never the file's consistency.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NoReturn

from sqlite_utils import Database

from agentgym_critic.errors import (
    ConfigError,
    NewerSchemaError,
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreLockedError,
)

__all__ = ["MEMORY", "Kind", "Migration", "open_database", "seen_from", "storage_errors", "transaction"]

Kind = Literal["bank", "runs", "verdicts"]
"""What a file holds."""

Migration = Callable[[Database], None]
"""One numbered step of a schema, called inside a transaction; the n-th leads to version n."""

MEMORY = ":memory:"
"""The path of a database that lives and dies with its connection."""

_NAMES: dict[Kind, str] = {"bank": "memory bank", "runs": "run store", "verdicts": "verdict log"}
_APPLICATION_IDS: dict[Kind, int] = {"bank": 0x41474342, "runs": 0x41474352, "verdicts": 0x41474356}
_IDENTITY = """
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
    FROM pragma_application_id, pragma_user_version
"""  # one statement, so that another opener's first commit is seen whole or not at all
_HEADER = b"SQLite format 3\0"


def open_database(
    path: str | Path, *, kind: Kind, migrations: Sequence[Migration], busy_timeout_s: float = 10.0
) -> Database:
    """Open or create a store of this package at its newest schema.

    The connection commits each statement on its own outside a `transaction`, and may be used
    from any thread, by one at a time.

    Args:
        path: the file, or ``":memory:"``.
        kind: what the file must hold.
        migrations: all steps of the schema, the oldest first.
        busy_timeout_s: how long to wait for another connection's write to end.

    Raises:
        ConfigError: the timeout is negative.
        NotAStoreError: the file holds something else; it has not been changed.
        NewerSchemaError: its schema has more steps than `migrations`.
        StoreLockedError: another process kept it locked.
        StoreFullError: the disk is full or the file may not be written.
        StoreError: it cannot be opened at all.
    """
    if not 0 <= busy_timeout_s < 1e6:
        raise ConfigError(f"busy_timeout_s is a number of seconds from 0, got {busy_timeout_s!r}")
    _require_place(path, kind)
    with storage_errors(path):
        connection = sqlite3.connect(
            path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            return _prepared(Database(connection, execute_plugins=False), path, kind, migrations, busy_timeout_s)
        except BaseException:
            connection.close()
            raise


def _require_place(path: str | Path, kind: Kind) -> None:
    if str(path) == MEMORY:
        return
    file = Path(path).absolute()
    if file.is_dir():
        raise NotAStoreError(f"{path} is a folder, not a {_NAMES[kind]}; name a file in it")
    if not file.parent.is_dir():
        raise StoreError(f"{path}: the folder {file.parent} does not exist; create it first")
    if file.exists():
        _require_header(file)


def _require_header(file: Path) -> None:
    """Refuse what is no SQLite file at all; SQLite itself would overwrite a very short one."""
    try:
        with file.open("rb") as stream:
            start = stream.read(len(_HEADER))
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error}); check its permissions") from error
    if start not in (b"", _HEADER):
        raise NotAStoreError(f"{file} is not an SQLite file; name another file (this one is unchanged)")


def _prepared(
    db: Database, path: str | Path, kind: Kind, migrations: Sequence[Migration], busy_timeout_s: float
) -> Database:
    _require_kind(db, path, kind, len(migrations))
    _enable_wal(db, busy_timeout_s)
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA foreign_keys = ON")
    _migrate(db, path, kind, migrations)
    return db


def _require_kind(db: Database, path: str | Path, kind: Kind, newest: int) -> int:
    """Refuse a file that is not ours, or newer than we are, before anything is written to it; else its version."""
    owner, version, objects = db.execute(_IDENTITY).fetchone()
    if owner != _APPLICATION_IDS[kind] and (owner, version, objects) != (0, 0, 0):
        others = [_NAMES[other] for other, number in _APPLICATION_IDS.items() if number == owner]
        what = f"a {others[0]}" if others else "an SQLite file of another program"
        raise NotAStoreError(f"{path} is {what}, not a {_NAMES[kind]}; name another file (this one is unchanged)")
    if version > newest:
        raise NewerSchemaError(
            f"{path} is a {_NAMES[kind]} with schema version {version}, and this agentgym-critic knows versions "
            f'up to {newest}; upgrade it: pip install --upgrade "agentgym-critic"'
        )
    return int(version)


def _enable_wal(db: Database, busy_timeout_s: float) -> None:
    """Switch to write-ahead logging; SQLite does not wait for others by itself here, so we do."""
    deadline = time.monotonic() + busy_timeout_s
    while db.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _migrate(db: Database, path: str | Path, kind: Kind, migrations: Sequence[Migration]) -> None:
    """Apply what is missing, each step in its own transaction; concurrent openers take turns."""
    while _require_kind(db, path, kind, len(migrations)) < len(migrations):
        with transaction(db):
            version = _require_kind(db, path, kind, len(migrations))  # another opener may have been faster
            if version == len(migrations):
                return
            migrations[version](db)
            db.execute(f"PRAGMA application_id = {_APPLICATION_IDS[kind]}")
            db.execute(f"PRAGMA user_version = {version + 1}")


def seen_from(path: str, other: str) -> str:
    """A database's path as seen from the folder of another one, so that both can move together."""
    return path if MEMORY in (path, other) else os.path.relpath(path, Path(other).absolute().parent)


@contextmanager
def transaction(db: Database) -> Iterator[sqlite3.Connection]:
    """All or nothing; takes the write lock at once, so that it cannot fail for want of it later.

    Yields:
        The bare connection, for `executemany` and other hot statements.
    """
    connection = db.conn
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def storage_errors(path: str | Path) -> Iterator[None]:
    """Turn what SQLite says about the file into a `StoreError` that says what to do.

    Errors that show a mistake in a statement rather than a condition of the file pass through.
    """
    try:
        yield
    except sqlite3.Error as error:
        _raise_for(error, path)


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", -1) & 0xFF


def _raise_for(error: sqlite3.Error, path: str | Path) -> NoReturn:
    match _primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            raise StoreLockedError(
                f"{path} is locked: another process has been writing to it for longer than the busy timeout "
                f"({error}); wait for it to end, or set a longer busy_timeout_s"
            ) from error
        case sqlite3.SQLITE_FULL:
            raise StoreFullError(
                f"{path} cannot grow: the disk is full ({error}); free some space and try again, nothing that was "
                f"committed is lost"
            ) from error
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            raise StoreFullError(
                f"{path} may not be written ({error}); check the permissions of the file and of its folder"
            ) from error
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            raise NotAStoreError(
                f"{path} is not an SQLite file, or it is damaged ({error}); name another file or restore a copy"
            ) from error
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            raise StoreError(
                f"{path} cannot be opened, read or written ({error}); check the disk and the permissions of the "
                f"file and of its folder"
            ) from error
        case _:
            raise error
