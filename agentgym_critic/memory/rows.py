"""Lessons to rows of the bank, and rows to experiences and lessons. Knows SQL, no ranking."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.memory.lessons import Lesson, Sighting, content_key
from agentgym_critic.types import Experience, clean_text

__all__ = ["Added", "add_lesson", "read_experiences", "read_lessons", "unknown_texts"]


class Added(NamedTuple):
    """What came into a bank."""

    trajectories: int
    sightings: int
    known: int
    """Trajectories that were there already, and left as they were."""


def unknown_texts(connection: sqlite3.Connection, texts: Iterable[str]) -> list[str]:
    """Those of the texts that the bank has no vector of."""
    by_key = {content_key(text): text for text in texts}
    known = connection.execute(
        "SELECT key FROM texts WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(by_key)),)
    )
    for (key,) in known:
        del by_key[key]
    return list(by_key.values())


def add_lesson(connection: sqlite3.Connection, lesson: Lesson, vectors: Mapping[str, NDArray[np.int16]]) -> bool:
    """Insert a trajectory with its sightings, unless it is known; False if it was.

    Args:
        connection: inside a transaction.
        lesson: what to add.
        vectors: of all its texts that the bank does not have yet.
    """
    cursor = connection.execute(
        "INSERT INTO trajectories (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (clean_text(lesson.trajectory), lesson.position),
    )
    if not cursor.rowcount:
        return False
    trajectory = cursor.lastrowid
    ids = _text_ids(connection, {text for sighting in lesson.sightings for text in sighting.texts}, vectors)
    keyed = [(sighting.key, sighting) for sighting in lesson.sightings]
    connection.executemany(
        "INSERT INTO experiences (key, env_id, task, state, action, outcome, productive) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (key, clean_text(each.env_id), *(ids[text] for text in each.texts), each.polarity == "productive")
            for key, each in keyed
        ],
    )
    connection.executemany(
        "INSERT INTO sightings (trajectory, step, experience, p) SELECT ?, ?, id, ? FROM experiences WHERE key = ?",
        [(trajectory, each.step, each.p, key) for key, each in keyed],
    )
    return True


def _text_ids(
    connection: sqlite3.Connection, texts: set[str], vectors: Mapping[str, NDArray[np.int16]]
) -> dict[str, int]:
    keys = {content_key(text): text for text in texts}
    connection.executemany(
        "INSERT INTO texts (key, text, vector) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(key, text, vectors[text].astype("<i2").tobytes()) for key, text in keys.items() if text in vectors],
    )
    rows = connection.execute(
        "SELECT key, id FROM texts WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
    )
    return {keys[key]: id for key, id in rows}


def read_experiences(connection: sqlite3.Connection, ids: Sequence[int], before: int) -> list[Experience]:
    """Experiences in the order of their ids, as the sightings before a stream position show them."""
    rows = connection.execute(
        "SELECT id, key, env_id, task, state, action, outcome, productive FROM readable "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    by_id = {row[0]: _experience(connection, row, before) for row in rows.fetchall()}
    return [by_id[id] for id in ids]


def _experience(connection: sqlite3.Connection, row: tuple[Any, ...], before: int) -> Experience:
    id, key, env_id, task, state, action, outcome, productive = row
    p, count = _mean_p(connection, id, before)
    trajectory, step, position = connection.execute(
        "SELECT t.name, s.step, t.position FROM sightings s JOIN trajectories t ON t.id = s.trajectory "
        "WHERE s.experience = ? AND t.position < ? ORDER BY t.position, t.name, s.step LIMIT 1",
        (id, before),
    ).fetchone()
    return Experience(
        id=f"{key % 2**64:016x}",
        task=task,
        state=state,
        action=action,
        outcome=outcome,
        p=p,
        polarity="productive" if productive else "unproductive",
        env_id=env_id,
        trajectory_id=trajectory,
        step=step,
        position=position,
        count=count,
    )


def _mean_p(connection: sqlite3.Connection, experience: int, before: int) -> tuple[float, int]:
    """Mean and number of the judgements; exact sums, so that their order does not matter."""
    rows = connection.execute(
        "SELECT s.p, count(*) FROM sightings s JOIN trajectories t ON t.id = s.trajectory "
        "WHERE s.experience = ? AND t.position < ? GROUP BY s.p",
        (experience, before),
    ).fetchall()
    count = sum(times for _, times in rows)
    mean = math.fsum(p * times for p, times in rows) / count
    return min(max(mean, min(rows)[0]), max(rows)[0]), count


def read_lessons(connection: sqlite3.Connection) -> Iterator[Lesson]:
    """All that the bank was taught, in stream order."""
    rows = connection.execute(
        "SELECT t.name, t.position, s.step, e.env_id, e.task, e.state, e.action, e.outcome, s.p "
        "FROM trajectories t LEFT JOIN (sightings s JOIN readable e ON e.id = s.experience) ON s.trajectory = t.id "
        "ORDER BY t.position, t.name, s.step"
    )
    for (name, position), group in groupby(rows, key=lambda row: row[:2]):
        sightings = tuple(_sighting(row[2:]) for row in group if row[2] is not None)
        yield Lesson(trajectory=name, position=position, sightings=sightings)


def _sighting(row: tuple[Any, ...]) -> Sighting:
    step, env_id, task, state, action, outcome, p = row
    return Sighting(step=step, env_id=env_id, task=task, state=state, action=action, outcome=outcome, p=p)
