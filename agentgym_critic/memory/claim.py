"""Whose vectors a bank holds: the embedder is recorded once, and no other is let in."""

from __future__ import annotations

import sqlite3

from sqlite_utils import Database

from agentgym_critic.errors import BankError
from agentgym_critic.memory.base import Embedder
from agentgym_critic.memory.embedders import HashingEmbedder
from agentgym_critic.memory.encoder import Encoder
from agentgym_critic.sqlite import transaction

__all__ = ["claim", "mismatch", "recorded_embedder"]


def claim(db: Database, path: str, embedder: Embedder | None) -> Encoder | None:
    """The embedder to use: recorded in a new bank, compared with the record in an old one.

    Without an embedder: the recorded one if it is a `HashingEmbedder`, as it is in a new bank;
    otherwise None.

    Raises:
        BankError: the bank was filled with another embedder.
    """
    recorded = recorded_embedder(db.conn)
    if embedder is None and recorded:
        return _hashing_encoder(*recorded)
    encoder = Encoder(embedder or HashingEmbedder())
    if recorded is None:
        recorded = _record(db, encoder)
    if recorded != (encoder.id, encoder.dim):
        raise mismatch(path, recorded, f"{encoder.id} ({encoder.dim} dimensions) was given")
    return encoder


def recorded_embedder(connection: sqlite3.Connection) -> tuple[str, int] | None:
    """Id and dimensions of the embedder the bank was filled with; None in a new bank."""
    settings = dict(connection.execute("SELECT name, value FROM settings").fetchall())
    return (settings["embedder"], int(settings["dim"])) if "embedder" in settings else None


def mismatch(path: str, recorded: tuple[str, int] | None, given: str) -> BankError:
    """The error that says which embedder the bank needs."""
    name, dim = recorded or ("", 0)
    return BankError(
        f"the memory bank {path} was filled with the embedder {name} ({dim} dimensions), but {given}; open it with "
        f"that embedder, or export it and import it into a new bank",
        f"embedder {name}",
    )


def _record(db: Database, encoder: Encoder) -> tuple[str, int] | None:
    """Record the embedder, unless another process has just recorded one; what is recorded then."""
    with transaction(db) as connection:
        connection.executemany(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING",
            [("embedder", encoder.id), ("dim", str(encoder.dim))],
        )
        return recorded_embedder(connection)


def _hashing_encoder(name: str, dim: int) -> Encoder | None:
    if not name.startswith("hashing-"):
        return None
    embedder = HashingEmbedder(dim)
    return Encoder(embedder) if embedder.id == name else None
