"""`Catalogue`: the products, goals and search index of one SQLite file, read only and shared.

All environments of a process share one `Catalogue` of a file, and processes share the file's pages. It
is written by `building` and never changed. It knows neither sessions nor rewards.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from agentgym_critic.envs.webshop.goals import Goal, GoalKind
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.search.index import Index
from agentgym_critic.errors import NotAStoreError, UnknownIdError
from agentgym_critic.sqlite import storage_errors
from agentgym_critic.types import from_json

__all__ = ["FORMAT", "MOST_FOUND", "Catalogue", "open_catalogue"]

FORMAT = 2
"""Of the file: changes whenever the same products give other tables."""

MOST_FOUND = 50
"""Products that a search gives, at most."""

PRODUCTS_KEPT = 1_000
SEARCHES_KEPT = 2_000
"""Searches whose results are kept: about 4 kB each."""


class Catalogue:
    """A shop's stock.

    Args:
        path: a file that `building.build` has written.

    Raises:
        NotAStoreError: the file holds something else, or is of another format.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        with storage_errors(path):
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, check_same_thread=False)
            connection.execute("PRAGMA mmap_size = 4294967296")
            self._db = Database(connection, execute_plugins=False)
            facts = self._facts()
        self.id: str = facts["id"]
        """A hash of what it was made from: the same products have the same id anywhere."""
        self.size = int(facts["size"])
        """Number of products."""
        self.refused: dict[str, int] = dict(self._all("SELECT reason, number FROM refused ORDER BY reason"))
        """Entries of the files that are no products, counted by reason."""
        self._index = Index(self._db)
        self.product: Callable[[str], Product] = lru_cache(maxsize=PRODUCTS_KEPT)(self._product)
        """The product of an asin; raises `UnknownIdError` if there is none."""
        self._found = lru_cache(maxsize=SEARCHES_KEPT)(self._find)

    def find(self, keywords: Sequence[str]) -> tuple[str, ...]:
        """The asins of at most `MOST_FOUND` products for a search, best first."""
        return self._found(" ".join(keywords))

    def price(self, asin: str) -> float:
        """What a product costs, in dollars: a fixed price within its range."""
        return float(self._row("SELECT price FROM products WHERE asin = ?", asin)[0])

    def products(self) -> list[Product]:
        """All products in the order of their file. Takes as long, and as much memory, as it sounds."""
        return [from_json(row[0], Product) for row in self._all("SELECT record FROM products ORDER BY number")]

    def asins(self, *, query: str | None = None) -> list[str]:
        """The asins of all products, or of those that a query of shoppers leads to; in the order of the file."""
        if query is None:
            return [row[0] for row in self._all("SELECT asin FROM products ORDER BY number")]
        return [row[0] for row in self._all("SELECT asin FROM products WHERE query = ? ORDER BY number", query)]

    def count_goals(self, kind: GoalKind, split: str) -> int:
        """How many goals a split has."""
        (number,) = self._row("SELECT count(*) FROM goals WHERE kind = ? AND split = ?", kind, split)
        return int(number)

    def goal(self, kind: GoalKind, split: str, number: int) -> Goal:
        """A goal by its number in a split, from 0."""
        query = "SELECT record FROM goals WHERE kind = ? AND split = ? AND number = ?"
        return from_json(self._row(query, kind, split, number)[0], Goal)

    def goal_of(self, goal_id: str) -> Goal:
        """A goal by name, of whatever split.

        Raises:
            UnknownIdError: there is none.
        """
        rows = self._all("SELECT record FROM goals WHERE id = ?", goal_id)
        if not rows:
            near = [row[0] for row in self._all("SELECT id FROM goals WHERE asin = ?", goal_id.partition("-")[0])]
            raise UnknownIdError("goal", goal_id, near, f"Looked for in {self._path}.")
        return from_json(rows[0][0], Goal)

    def __reduce__(self) -> tuple[Callable[[Path], Catalogue], tuple[Path]]:
        """A copy in another process opens the same file."""
        return open_catalogue, (self._path,)

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def _product(self, asin: str) -> Product:
        rows = self._all("SELECT record FROM products WHERE asin = ?", asin)
        if not rows:
            raise UnknownIdError("product", asin, (), f"Looked for in {self._path}.")
        return from_json(rows[0][0], Product)

    def _find(self, query: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(asin for asin, _ in self._index.search(query, MOST_FOUND))

    def _facts(self) -> dict[str, str]:
        try:
            facts = dict(self._db.execute("SELECT name, value FROM facts").fetchall())
        except sqlite3.DatabaseError as cause:
            raise NotAStoreError(f"{self._path} is no catalogue ({cause}); delete it, and it is made again") from cause
        if facts.get("format") != str(FORMAT):
            seen = facts.get("format")
            raise NotAStoreError(f"{self._path} is a catalogue of format {seen}, not {FORMAT}; delete it")
        return facts

    def _row(self, query: str, *values: object) -> Any:
        rows = self._all(query, *values)
        if not rows:
            raise NotAStoreError(f"{self._path} lacks what it should hold for {values}; delete it")
        return rows[0]

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock, storage_errors(self._path):
            return self._db.conn.execute(query, values).fetchall()


@lru_cache(maxsize=8)
def open_catalogue(path: Path) -> Catalogue:
    """The catalogue of a file: one for all environments of the process."""
    return Catalogue(path)
