"""`RunStore`: runs, their trajectories, verdicts and failures in one SQLite file.

An episode is one transaction: it is in the file whole or not at all. Several processes may
write at once, and threads may share a store. The store knows no environment, agent or critic.
"""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import msgspec

from agentgym_critic.errors import ConfigError, NotAStoreError, StoreError, UnknownIdError
from agentgym_critic.sqlite import open_database, storage_errors, transaction
from agentgym_critic.store.records import Failure, Run, RunConfig
from agentgym_critic.store.schema import (
    MIGRATIONS,
    failure_row,
    insert,
    run_from_row,
    run_row,
    step_rows,
    trajectory_from_rows,
    trajectory_row,
    verdict_rows,
)
from agentgym_critic.types import Trajectory, from_json

__all__ = ["RunStore"]


class RunStore:
    """Runs on disk.

    Args:
        path: the file, created if it does not exist; ``":memory:"`` for none.
        busy_timeout_s: how long to wait for another process's write to end.

    Raises:
        NotAStoreError: the file is something else.
        NewerSchemaError: a newer version of this package wrote it.
        StoreError: it cannot be opened; the subclass and the text say why.
    """

    def __init__(self, path: str | Path, *, busy_timeout_s: float = 30.0) -> None:
        self.path = str(path)
        self._db = open_database(path, kind="runs", migrations=MIGRATIONS, busy_timeout_s=busy_timeout_s)
        self._lock = threading.RLock()
        self._closed = False

    # ------------------------------------------------------------------------------ Writing

    def start_run(self, config: RunConfig, *, stream_start: int = 0, versions: dict[str, str] | None = None) -> Run:
        """Record the start of a new run."""
        run = Run(
            id=uuid.uuid4().hex[:12],
            created_at=_now(),
            config=config,
            stream_start=stream_start,
            versions=versions or {},
        )
        with self._writing() as connection:
            connection.execute(insert("runs", 5), run_row(run))
        return run

    def save(self, trajectory: Trajectory, run: Run, episode: int) -> bool:
        """Commit an episode, all of it or nothing.

        Returns:
            False if this episode of the run was committed before, perhaps by another process;
            the earlier one stays.
        """
        row, steps, verdicts = (
            trajectory_row(trajectory, run, episode),
            step_rows(trajectory),
            verdict_rows(trajectory),
        )
        with self._writing() as connection:
            taken = "SELECT 1 FROM trajectories WHERE run_id = ? AND episode = ?"
            if connection.execute(taken, (run.id, episode)).fetchone():
                return False
            connection.execute(insert("trajectories", 12), row)
            connection.executemany(insert("steps", 6), steps)
            connection.executemany(insert("verdicts", 7), verdicts)
        return True

    def record_failure(self, failure: Failure, run: Run) -> None:
        """Commit that an episode failed."""
        failure = msgspec.structs.replace(failure, failed_at=_now())
        with self._writing() as connection:
            connection.execute(insert("failures", 6), failure_row(failure, run))

    # ------------------------------------------------------------------------------ Reading

    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        rows = self._rows("SELECT id, created_at, stream_start, config, versions FROM runs ORDER BY rowid")
        with _decoding(self.path):
            return [run_from_row(row) for row in rows]

    def run(self, run_id: str | None = None) -> Run:
        """One run, by default the latest.

        Raises:
            StoreError: the store holds no runs.
            UnknownIdError: it holds no run of that id.
        """
        runs = self.runs()
        if not runs:
            raise StoreError(f"{self.path} holds no runs yet; `agentgym-critic run --out {self.path}` makes one")
        if run_id is None:
            return runs[-1]
        for run in runs:
            if run.id == run_id:
                return run
        raise UnknownIdError("run", run_id, [run.id for run in runs], f"They are in {self.path}.")

    def committed(self, run: Run) -> set[int]:
        """Numbers of the run's committed episodes."""
        return {row[0] for row in self._rows("SELECT episode FROM trajectories WHERE run_id = ?", run.id)}

    def trajectories(self, run: Run | None = None) -> Iterator[Trajectory]:
        """The trajectories of a run, or of all, in the order of their episodes; read one at a time."""
        query = """
            SELECT t.id FROM trajectories t JOIN runs r ON r.id = t.run_id
            WHERE ?1 IS NULL OR r.id = ?1 ORDER BY r.rowid, t.episode
        """
        for (trajectory_id,) in self._rows(query, run and run.id):
            yield self.trajectory(trajectory_id)

    def trajectory(self, trajectory_id: str) -> Trajectory:
        """One trajectory, exactly as it was saved.

        Raises:
            UnknownIdError: there is none of that id.
        """
        found = self.find(trajectory_id)
        if found is None:
            known = [row[0] for row in self._rows("SELECT id FROM trajectories")]
            raise UnknownIdError("trajectory", trajectory_id, known, f"They are in {self.path}.")
        return found

    def find(self, trajectory_id: str) -> Trajectory | None:
        """One trajectory, exactly as it was saved; None if there is none of that id."""
        rows = self._rows("SELECT record FROM trajectories WHERE id = ?", trajectory_id)
        if not rows:
            return None
        steps = self._rows("SELECT record FROM steps WHERE trajectory_id = ? ORDER BY step", trajectory_id)
        verdicts = self._rows("SELECT step, role, record FROM verdicts WHERE trajectory_id = ?", trajectory_id)
        with _decoding(self.path):
            return trajectory_from_rows(rows[0][0], (row[0] for row in steps), verdicts)

    def last_id(self) -> str:
        """Id of the trajectory committed last.

        Raises:
            StoreError: there is none yet.
        """
        rows = self._rows("SELECT id FROM trajectories ORDER BY rowid DESC LIMIT 1")
        if not rows:
            raise StoreError(f"{self.path} holds no trajectories yet")
        return str(rows[0][0])

    def failures(self, run: Run | None = None, *, unresolved: bool = False) -> list[Failure]:
        """The failures of a run, or of all, oldest first.

        Args:
            run: which run; None for all.
            unresolved: leave out those of episodes that were committed later.
        """
        query = """
            SELECT f.record FROM failures f
            LEFT JOIN trajectories t ON t.run_id = f.run_id AND t.episode = f.episode
            WHERE (?1 IS NULL OR f.run_id = ?1) AND NOT (?2 AND t.id IS NOT NULL) ORDER BY f.rowid
        """
        rows = self._rows(query, run and run.id, unresolved)
        with _decoding(self.path):
            return [from_json(row[0], Failure) for row in rows]

    # ------------------------------------------------------------------------------ Housekeeping

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        with self._lock:
            self._closed = True
            self._db.conn.close()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open(), transaction(self._db) as connection:
            yield connection

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._open():
            return list(self._db.execute(query, values).fetchall())

    @contextmanager
    def _open(self) -> Iterator[None]:
        """The file is open, and this thread's alone."""
        with self._lock, storage_errors(self.path):
            if self._closed:
                raise StoreError(f"the run store {self.path} is closed; open it again")
            yield


@contextmanager
def _decoding(path: str) -> Iterator[None]:
    try:
        yield
    except (msgspec.MsgspecError, ConfigError) as cause:
        raise NotAStoreError(f"{path}: a row is damaged ({cause}); restore a copy of the file") from cause


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
