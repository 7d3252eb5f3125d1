"""Opening a store's file: schema steps once, foreign files untouched, every failure explained."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlite_utils import Database

from agentgym_critic.errors import (
    ConfigError,
    NewerSchemaError,
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreLockedError,
)
from agentgym_critic.sqlite import Migration, open_database, storage_errors, transaction


def m001_notes(db: Database) -> None:
    db.table("notes").create({"id": int, "text": str}, pk="id")


def m002_author(db: Database) -> None:
    db.table("notes").add_column("author", str, not_null_default="nobody")


def m003_breaks(db: Database) -> None:
    db.table("half").create({"id": int})
    raise RuntimeError("half way")


STEPS: list[Migration] = [m001_notes, m002_author]


def open_notes(path: Path | str, steps: list[Migration] = STEPS, timeout: float = 10.0) -> Database:
    return open_database(path, kind="bank", migrations=steps, busy_timeout_s=timeout)


def version(db: Database) -> int:
    return db.execute("PRAGMA user_version").fetchone()[0]


def test_a_new_file_gets_the_newest_schema_in_wal_mode(tmp_path: Path) -> None:
    db = open_notes(tmp_path / "a.db")
    assert version(db) == 2
    assert db.journal_mode == "wal"
    assert set(db.table("notes").columns_dict) == {"id", "text", "author"}
    db.close()


def test_memory_needs_no_file() -> None:
    db = open_notes(":memory:")
    assert version(db) == 2
    db.close()


def test_an_old_file_is_brought_up_to_date_with_its_rows(tmp_path: Path) -> None:
    db = open_notes(tmp_path / "a.db", STEPS[:1])
    db.table("notes").insert({"id": 1, "text": "kept"})
    db.close()
    db = open_notes(tmp_path / "a.db")
    assert list(db.table("notes").rows) == [{"id": 1, "text": "kept", "author": "nobody"}]
    db.close()


def test_a_step_that_fails_leaves_the_file_at_the_step_before(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half way"):
        open_notes(tmp_path / "a.db", [*STEPS, m003_breaks])
    db = open_notes(tmp_path / "a.db")
    assert (version(db), db.table_names()) == (2, ["notes"])
    db.close()


def test_a_newer_schema_is_refused_with_both_versions(tmp_path: Path) -> None:
    open_notes(tmp_path / "a.db").close()
    with pytest.raises(NewerSchemaError, match=r"a.db is a memory bank with schema version 2, .* up to 1; upgrade it"):
        open_notes(tmp_path / "a.db", STEPS[:1])


def test_another_store_of_ours_is_named(tmp_path: Path) -> None:
    open_notes(tmp_path / "a.db").close()
    with pytest.raises(NotAStoreError, match=r"a.db is a memory bank, not a run store; name another file"):
        open_database(tmp_path / "a.db", kind="runs", migrations=STEPS)


def test_a_foreign_database_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match="an SQLite file of another program, not a memory bank"):
        open_notes(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"just text, much longer than a header of SQLite " * 50, b"x", b"\0" * 4096])
def test_a_file_that_is_no_database_is_refused_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotAStoreError, match=r"notes.txt is not an SQLite file; name another file"):
        open_notes(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    open_notes(tmp_path / "a.db").close()


def test_a_folder_and_a_missing_folder_are_explained(tmp_path: Path) -> None:
    with pytest.raises(NotAStoreError, match="is a folder, not a memory bank; name a file in it"):
        open_notes(tmp_path)
    with pytest.raises(StoreError, match=r"the folder .*nowhere does not exist; create it first"):
        open_notes(tmp_path / "nowhere" / "a.db")


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_a_timeout_that_is_no_time_is_refused(tmp_path: Path, seconds: float) -> None:
    with pytest.raises(ConfigError, match="busy_timeout_s is a number of seconds from 0"):
        open_notes(tmp_path / "a.db", timeout=seconds)


def test_a_store_locked_by_another_connection(tmp_path: Path) -> None:
    holder, waiter = open_notes(tmp_path / "a.db"), open_notes(tmp_path / "a.db", timeout=0.05)
    with (
        transaction(holder),
        pytest.raises(StoreLockedError, match=r"is locked: another process .* set a longer busy_timeout_s"),
        storage_errors(tmp_path / "a.db"),
        transaction(waiter),
    ):
        pass
    with transaction(waiter) as connection:  # free again
        connection.execute("INSERT INTO notes (text) VALUES ('later')")
    holder.close()
    waiter.close()


def test_a_new_file_locked_while_it_is_opened(tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreLockedError, match="is locked"):
        open_notes(tmp_path / "a.db", timeout=0.05)
    holder.execute("ROLLBACK")
    holder.close()


def test_a_full_disk_keeps_what_was_committed(tmp_path: Path) -> None:
    db = open_notes(tmp_path / "a.db")
    db.table("notes").insert({"text": "kept"})
    db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
    with pytest.raises(StoreFullError, match="cannot grow: the disk is full"), storage_errors("a.db"):  # noqa: SIM117
        with transaction(db) as connection:
            connection.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 9000,)] * 9)
    assert [row["text"] for row in db.table("notes").rows] == ["kept"]
    db.close()


def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    db = open_notes(tmp_path / "a.db")
    db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFullError, match=r"may not be written .* check the permissions"), storage_errors("a.db"):
        db.execute("INSERT INTO notes (text) VALUES ('x')")
    db.close()


def test_mistakes_in_statements_are_not_blamed_on_the_file() -> None:
    db = open_notes(":memory:")
    with pytest.raises(sqlite3.OperationalError, match="no such table"), storage_errors("a.db"):
        db.execute("SELECT * FROM nowhere")
    db.close()


def test_a_transaction_is_undone_whatever_interrupts_it() -> None:
    db = open_notes(":memory:")

    def interrupted() -> None:
        with transaction(db) as connection:
            connection.execute("INSERT INTO notes (text) VALUES ('x')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert db.table("notes").count == 0
    db.close()


def test_threads_that_open_a_new_file_together_all_succeed(tmp_path: Path) -> None:
    start, versions = threading.Barrier(6), []

    def work() -> None:
        start.wait()
        db = open_notes(tmp_path / "a.db")
        versions.append(version(db))
        db.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert versions == [2] * 6


OPEN_AND_ADD = """
import sys
from agentgym_critic.sqlite import open_database, transaction
step = lambda db: db.table("notes").create({"text": str})
db = open_database(sys.argv[1], kind="bank", migrations=[step])
with transaction(db) as connection:
    connection.execute("INSERT INTO notes (text) VALUES (?)", (sys.argv[2],))
"""


def test_processes_that_open_a_new_file_together_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    workers = [subprocess.Popen([sys.executable, "-c", OPEN_AND_ADD, path, str(number)]) for number in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    db = open_notes(path, STEPS[:1])
    assert sorted(row["text"] for row in db.table("notes").rows) == ["0", "1", "2"]
    db.close()


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = open_notes(path)
    db.table("notes").insert_all({"text": "x" * 900} for _ in range(50))
    db.close()
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 40_000)
    with pytest.raises(NotAStoreError, match="or it is damaged"), storage_errors(path):  # noqa: PT012
        db = open_notes(path)
        try:
            list(db.table("notes").rows)
        finally:
            db.close()
