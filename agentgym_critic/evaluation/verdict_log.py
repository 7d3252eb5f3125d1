"""`VerdictLog`: what critics said of stored steps, and the truth about them, in one SQLite file.

It is what makes an evaluation resumable and a second one cheap: a verdict that is known is not asked
for again. A verdict belongs to a step, a critic's version and what could be recalled: the key of the
stream up to there, which is empty for critics that recall nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from sqlite_utils import Database

from agentgym_critic.sqlite import open_database, storage_errors, transaction
from agentgym_critic.types import Verdict, from_json, to_json

__all__ = ["VerdictLog"]


def m001_verdicts(db: Database) -> None:
    """Verdicts by critic, stream, trajectory and step; labels by trajectory."""
    db.table("verdicts").create(
        {"critic": str, "stream": str, "trajectory_id": str, "record": str},
        pk=("critic", "stream", "trajectory_id"),
    )
    db.table("labels").create({"trajectory_id": str, "record": str}, pk="trajectory_id")


MIGRATIONS = (m001_verdicts,)


class VerdictLog:
    """Verdicts on disk, a trajectory's at a time.

    Args:
        path: the file, made if it is not there; ``":memory:"`` for none.

    Raises:
        StoreError: it cannot be opened, or is something else.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.path = str(path)
        self._lock = threading.RLock()
        self._db = open_database(path, kind="verdicts", migrations=MIGRATIONS)

    def __enter__(self) -> VerdictLog:
        """This log, closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            self._db.close()

    def verdicts(self, critic: str, stream: str, trajectory_id: str) -> list[Verdict] | None:
        """What is known of all steps of a trajectory; None if nothing is."""
        found = self._one(
            "SELECT record FROM verdicts WHERE critic = ? AND stream = ? AND trajectory_id = ?",
            critic, stream, trajectory_id,
        )  # fmt: skip
        return None if found is None else from_json(found, list[Verdict])

    def save_verdicts(self, critic: str, stream: str, trajectory_id: str, verdicts: Sequence[Verdict]) -> None:
        """Keep the verdicts on all steps of a trajectory."""
        self._write("verdicts", critic, stream, trajectory_id, to_json(list(verdicts)).decode())

    def labels(self, trajectory_id: str) -> list[bool | None] | None:
        """The truth about each step of a trajectory; None if it has not been looked for."""
        found = self._one("SELECT record FROM labels WHERE trajectory_id = ?", trajectory_id)
        return None if found is None else from_json(found, list[bool | None])

    def save_labels(self, trajectory_id: str, labels: Sequence[bool | None]) -> None:
        """Keep the truth about each step of a trajectory."""
        self._write("labels", trajectory_id, to_json(list(labels)).decode())

    def _one(self, query: str, *values: str) -> str | None:
        with self._session():
            row = self._db.execute(query, values).fetchone()
        return row[0] if row else None

    def _write(self, table: str, *values: str) -> None:
        marks = ", ".join("?" * len(values))
        with self._session(), transaction(self._db) as connection:
            connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)  # noqa: S608 - ours

    @contextmanager
    def _session(self) -> Iterator[None]:
        with self._lock, storage_errors(self.path):
            yield
