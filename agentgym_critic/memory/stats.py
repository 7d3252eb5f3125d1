"""What a bank holds, in numbers."""

from __future__ import annotations

import sqlite3

from agentgym_critic.memory.claim import recorded_embedder
from agentgym_critic.types import Record

__all__ = ["BankStats", "read_stats"]

_COUNTS = """
    SELECT (SELECT count(*) FROM experiences), (SELECT count(*) FROM experiences WHERE productive),
        (SELECT count(*) FROM sightings), (SELECT count(*) FROM trajectories), (SELECT count(*) FROM texts),
        page_count * page_size, (SELECT coalesce(max(position) + 1, 0) FROM trajectories)
    FROM pragma_page_count, pragma_page_size
"""


class BankStats(Record, frozen=True):
    """What a bank holds."""

    path: str
    experiences: int
    productive: int
    unproductive: int
    sightings: int
    """Judged steps; several may be of one experience."""
    trajectories: int
    position: int
    """The next free stream position."""
    texts: int
    embedder: str
    dim: int
    bytes: int
    """Size of the database without its write-ahead log."""


def read_stats(connection: sqlite3.Connection, path: str) -> BankStats:
    """Count everything."""
    experiences, productive, sightings, trajectories, texts, size, position = connection.execute(_COUNTS).fetchone()
    embedder, dim = recorded_embedder(connection) or ("", 0)
    return BankStats(
        path=path,
        experiences=experiences,
        productive=productive,
        unproductive=experiences - productive,
        sightings=sightings,
        trajectories=trajectories,
        position=position,
        texts=texts,
        embedder=embedder,
        dim=dim,
        bytes=size,
    )
