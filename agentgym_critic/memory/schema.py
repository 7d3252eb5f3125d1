"""The tables of a memory bank, as numbered steps. Never edit a released step; add the next.

Rows are only ever added, so ids are 1, 2, 3, ... without gaps: what is mirrored in memory stands
on that. Texts are stored once, however many experiences share them. What is true of an experience
at some point of the stream (p, count, when it was first seen) is derived from its sightings.
"""

from __future__ import annotations

from sqlite_utils import Database

__all__ = ["MIGRATIONS"]

_READABLE = """
    SELECT e.id, e.key, e.env_id, task.text AS task, state.text AS state, action.text AS action,
        outcome.text AS outcome, e.productive
    FROM experiences e
    JOIN texts task ON task.id = e.task JOIN texts state ON state.id = e.state
    JOIN texts action ON action.id = e.action JOIN texts outcome ON outcome.id = e.outcome
"""


def m001_bank(db: Database) -> None:
    """Texts with vectors and full-text index, experiences made of them, and their sightings."""
    db.table("settings").create({"name": str, "value": str}, pk="name", not_null={"value"})
    texts = db.table("texts")
    texts.create({"id": int, "key": int, "text": str, "vector": bytes}, pk="id", not_null={"key", "text", "vector"})
    texts.create_index(["key"], unique=True)
    texts.enable_fts(["text"], create_triggers=True)
    trajectories = db.table("trajectories")
    trajectories.create({"id": int, "name": str, "position": int}, pk="id", not_null={"name", "position"})
    trajectories.create_index(["name"], unique=True)
    trajectories.create_index(["position"])
    roles = ("task", "state", "action", "outcome")
    experiences = db.table("experiences")
    experiences.create(
        {"id": int, "key": int, "env_id": str, **dict.fromkeys(roles, int), "productive": int},
        pk="id",
        not_null={"key", "env_id", *roles, "productive"},
        foreign_keys=[(role, "texts", "id") for role in roles],
    )
    experiences.create_index(["key"], unique=True)
    sightings = db.table("sightings")
    sightings.create(
        {"trajectory": int, "step": int, "experience": int, "p": float},
        pk=("trajectory", "step"),
        not_null={"experience", "p"},
        foreign_keys=[("trajectory", "trajectories", "id"), ("experience", "experiences", "id")],
    )
    sightings.create_index(["experience"])
    db.create_view("readable", _READABLE)


MIGRATIONS = [m001_bank]
"""All steps, the oldest first."""
