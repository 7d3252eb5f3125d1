"""The memory bank: what reviewed trajectories taught, and what of it resembles the step at hand.

Knows neither critics nor environments: it keeps the decided judgements of a hindsight critic and
hands back the most similar ones of each polarity.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

import msgspec

from agentgym_critic.errors import ConfigError, StoreError
from agentgym_critic.memory.base import Embedder
from agentgym_critic.memory.claim import claim, mismatch, recorded_embedder
from agentgym_critic.memory.encoder import Encoder
from agentgym_critic.memory.fulltext import search
from agentgym_critic.memory.lessons import Lesson, lesson_of, tidy
from agentgym_critic.memory.mirror import ANY_POSITION, Mirror, Query, Ranked
from agentgym_critic.memory.rows import Added, add_lesson, read_experiences, read_lessons, unknown_texts
from agentgym_critic.memory.schema import MIGRATIONS
from agentgym_critic.memory.stats import BankStats, read_stats
from agentgym_critic.memory.transfer import read_jsonl, write_jsonl
from agentgym_critic.sqlite import open_database, storage_errors, transaction
from agentgym_critic.types import LARGEST, Action, Experience, Trajectory, Turn, clean_text

__all__ = ["FieldWeights", "MemoryBank"]


class FieldWeights(NamedTuple):
    """How much each field counts in a similarity. Only their proportions matter."""

    task: float = 0.3
    state: float = 0.4
    action: float = 0.3


class MemoryBank:
    """Experiences on disk, or in memory, that only ever grow.

    A recall before a stream position depends on nothing but the trajectories before it: not on
    later ones, not on the order they were remembered in. Any number of threads may share a bank,
    and several processes a file.

    Args:
        path: an SQLite file, created if missing, or ``":memory:"``.
        embedder: makes vectors of texts. None: the one the bank was filled with if that is a
            `HashingEmbedder`, as it is in a new bank; of another bank only `recall`, `remember`
            and `import_jsonl` then fail.
        weights: what a similarity is made of.
        busy_timeout_s: how long to wait for another process's write to end.

    Raises:
        BankError: the bank was filled with another embedder.
        ConfigError: a weight is negative or no number, or all are 0.
        StoreError: the file cannot be used; see `agentgym_critic.sqlite.open_database`.
    """

    def __init__(
        self,
        path: str | Path,
        embedder: Embedder | None = None,
        *,
        weights: FieldWeights = FieldWeights(),  # noqa: B008 (immutable)
        busy_timeout_s: float = 10.0,
    ) -> None:
        self.path = str(path)
        self._weights = _normalised(weights)
        self._lock = threading.RLock()
        self._closed = False
        self._db = open_database(path, kind="bank", migrations=MIGRATIONS, busy_timeout_s=busy_timeout_s)
        try:
            with self._session() as connection:
                self._encoder = claim(self._db, self.path, embedder)
                self._mirror = Mirror(connection, self._encoder.dim) if self._encoder else None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> MemoryBank:
        """This bank, closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bank."""
        self.close()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock, storage_errors(self.path):
            self._closed = True
            self._db.close()

    def remember(self, trajectory: Trajectory) -> int:
        """Learn from the hindsight verdicts of a finished trajectory, in one transaction.

        Steps without a verdict, with an unscored one or with a tie are left out. A trajectory
        whose id is known is left as it was.

        Returns:
            The number of steps added.

        Raises:
            BankError: the embedder failed.
            StoreError: the file cannot be written; nothing was added then.
        """
        return self._add([lesson_of(trajectory)]).sightings

    def knows(self, trajectory_id: str) -> bool:
        """Whether a trajectory has been remembered, even if none of its steps was decided."""
        with self._session() as connection:
            found = connection.execute("SELECT 1 FROM trajectories WHERE name = ?", (clean_text(trajectory_id),))
            return found.fetchone() is not None

    @property
    def position(self) -> int:
        """The next free stream position: one after the highest remembered; 0 in an empty bank."""
        with self._session() as connection:
            highest = connection.execute("SELECT max(position) FROM trajectories").fetchone()[0]
            return 0 if highest is None else int(highest) + 1

    def recall(self, turn: Turn, action: Action, k: int, *, before: int | None = None) -> list[Experience]:
        """The experiences most like taking `action` in `turn`.

        Two rankings are fused (`agentgym_critic.memory.ranking.fuse`): by the weighted cosine of
        the vectors, which becomes the experiences' `similarity`, and by the weighted share of the
        query's words found in each field by full-text search.

        Args:
            turn: where the action would be taken; its task and observation are compared.
            action: the proposal; its text is compared.
            k: how many productive, and as many unproductive, experiences at most.
            before: use only trajectories at earlier stream positions; None for all.

        Returns:
            The productive ones, best first, then the unproductive ones. `p`, `count` and where
            each was first seen are as of `before`.

        Raises:
            ConfigError: `k` is negative.
            BankError: the embedder failed, or is not the one the bank was filled with.
            StoreError: the file cannot be read.
        """
        return self._recalled(turn, action, k, before, by_chance=False)

    def recall_by_chance(self, turn: Turn, action: Action, k: int, *, before: int | None = None) -> list[Experience]:
        """Experiences drawn at random, each with its similarity: to see what a critic owes to similar ones.

        The draw depends on the texts of turn and action, and on what is visible, alone.

        Args:
            turn: as for `recall`.
            action: as for `recall`.
            k: how many productive, and as many unproductive, experiences at most.
            before: as for `recall`.

        Raises:
            ConfigError: `k` is negative.
            BankError: as `recall`.
            StoreError: as `recall`.
        """
        return self._recalled(turn, action, k, before, by_chance=True)

    def _recalled(self, turn: Turn, action: Action, k: int, before: int | None, by_chance: bool) -> list[Experience]:
        if k < 0:
            raise ConfigError(f"k experiences of each polarity are recalled, so k is at least 0; got {k}")
        if k == 0:
            return []
        texts = [tidy(turn.task), tidy(turn.observation), tidy(action.text)]
        vectors = self._required_encoder().encode(texts)
        queries = [Query(*field) for field in zip(texts, vectors, self._weights, strict=True)]
        cut = ANY_POSITION if before is None else min(before, ANY_POSITION)
        with self._session() as connection:
            assert self._mirror is not None
            self._mirror.sync()
            find = self._mirror.drawn if by_chance else self._mirror.nearest
            productive, unproductive = find(queries, k, cut)
            return _with_similarity(connection, productive + unproductive, cut)

    def search(self, query: str, limit: int = 10) -> list[Experience]:
        """Experiences whose task, state, action or outcome has words of `query`, best (bm25) first.

        Raises:
            ConfigError: `limit` is negative.
            StoreError: the file cannot be read.
        """
        if limit < 0:
            raise ConfigError(f"limit is at least 0; got {limit}")
        with self._session() as connection:
            return read_experiences(
                connection, search(connection, clean_text(query), min(limit, LARGEST)), ANY_POSITION
            )

    def stats(self) -> BankStats:
        """Counts, embedder and size."""
        with self._session() as connection:
            return read_stats(connection, self.path)

    def export_jsonl(self, target: str | Path | IO[str], *, overwrite: bool = False) -> int:
        """Write everything but the vectors, one trajectory a line in stream order.

        Args:
            target: a path, where the file appears once it is complete, or a text stream.
            overwrite: whether an existing file may be replaced.

        Returns:
            The number of trajectories.

        Raises:
            ConfigError: the file exists, or its folder does not.
            StoreError: the bank cannot be read or the target cannot be written.
        """
        with self._session() as connection:
            return write_jsonl(read_lessons(connection), target, overwrite=overwrite)

    def import_jsonl(self, source: str | Path | IO[str]) -> Added:
        """Add what `export_jsonl` wrote, all or nothing; known trajectories are left as they are.

        Args:
            source: a path or a text stream.

        Raises:
            NotAStoreError: a line is no exported trajectory; the message has its number.
            BankError: the embedder failed.
            StoreError: the source cannot be read or the bank cannot be written.
        """
        return self._add(read_jsonl(source))

    def _add(self, lessons: Sequence[Lesson]) -> Added:
        encoder = self._required_encoder()
        assert self._mirror is not None
        texts = {text for lesson in lessons for sighting in lesson.sightings for text in sighting.texts}
        with self._session() as connection:
            new = unknown_texts(connection, texts)
        vectors = dict(zip(new, encoder.encode(new), strict=True))  # outside the transaction: this may take long
        with self._session():
            with transaction(self._db) as connection:
                added = [lesson for lesson in lessons if add_lesson(connection, lesson, vectors)]
            self._mirror.expire()
        sightings = sum(len(lesson.sightings) for lesson in added)
        return Added(trajectories=len(added), sightings=sightings, known=len(lessons) - len(added))

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone."""
        with self._lock, storage_errors(self.path):
            if self._closed:
                raise StoreError(f"the memory bank {self.path} is closed; open it again")
            yield self._db.conn

    def _required_encoder(self) -> Encoder:
        if self._encoder is None:
            with self._session() as connection:
                raise mismatch(self.path, recorded_embedder(connection), "none was given")
        return self._encoder


def _with_similarity(connection: sqlite3.Connection, ranked: list[Ranked], before: int) -> list[Experience]:
    experiences = read_experiences(connection, [each.id for each in ranked], before)
    return [
        msgspec.structs.replace(experience, similarity=each.similarity)
        for experience, each in zip(experiences, ranked, strict=True)
    ]


def _normalised(weights: FieldWeights) -> list[float]:
    total = math.fsum(weights)
    if not (all(weight >= 0 for weight in weights) and 0 < total < math.inf):
        raise ConfigError(f"weights are at least 0 and not all 0; got {tuple(weights)}")
    return [weight / total for weight in weights]
