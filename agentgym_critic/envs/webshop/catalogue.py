"""`Catalogue`: the products, goals and search index of one SQLite file, read only and shared.

All environments of a process share one `Catalogue` of a file, and processes share the file's pages. It
is written by `building` and never changed. It knows neither sessions nor rewards.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlite_utils import Database

from agentgym_critic.envs.webshop.goals import Goal, GoalKind
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.search.index import Index
from agentgym_critic.errors import NotAStoreError, UnknownIdError
from agentgym_critic.sqlite import storage_errors
from agentgym_critic.types import clean_text, from_json

__all__ = ["FORMAT", "MOST_FOUND", "Catalogue", "open_catalogue"]

FORMAT = 3
"""Of the file: changes whenever the same products give other tables."""

MOST_FOUND = 50
"""Products that a search gives, at most."""

PRODUCTS_KEPT = 1_000
SEARCHES_KEPT = 2_000
"""Searches whose results are kept: about 4 kB each."""

T = TypeVar("T")


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
        with _readable(path):
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, check_same_thread=False)
            connection.execute("PRAGMA mmap_size = 4294967296")
            self._db = Database(connection, execute_plugins=False)
            facts = self._facts()
            self.id: str = facts["id"]
            """A hash of what it was made from: the same products have the same id anywhere."""
            self.size = int(facts["size"])
            """Number of products."""
            self._index = Index(self._db)
        self.refused: dict[str, int] = dict(self._all("SELECT reason, number FROM refused ORDER BY reason"))
        """Entries of the files that are no products, counted by reason."""
        self.product: Callable[[str], Product] = lru_cache(maxsize=PRODUCTS_KEPT)(self._product)
        """The product of an asin; raises `UnknownIdError` if there is none."""
        self.products: Callable[[], tuple[Product, ...]] = lru_cache(maxsize=1)(self._products)
        """All products in the order of their file, read once. Takes as long, and as much memory, as it sounds."""
        self._found = lru_cache(maxsize=SEARCHES_KEPT)(self._find)

    def find(self, keywords: Sequence[str]) -> tuple[str, ...]:
        """The asins of at most `MOST_FOUND` products for a search, best first."""
        return self._found(" ".join(keywords))

    def price(self, asin: str) -> float:
        """What a product costs, in dollars: a fixed price within its range."""
        return float(self._row("SELECT price FROM products WHERE asin = ?", asin)[0])

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
        return self._read(self._row(query, kind, split, number)[0], Goal)

    def goal_of(self, goal_id: str) -> Goal:
        """A goal by name, of whatever split.

        Raises:
            UnknownIdError: there is none.
        """
        name = clean_text(goal_id)
        rows = self._all("SELECT record FROM goals WHERE id = ?", name)
        if not rows:
            near = self._all("SELECT id FROM goals WHERE asin = ?", name.partition("-")[0])
            known = [row[0] for row in near or self._all("SELECT id FROM goals LIMIT 3")]
            raise UnknownIdError("goal", name[:60], known, f"Looked for in {self._path}.")
        return self._read(rows[0][0], Goal)

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
        return self._read(rows[0][0], Product)

    def _products(self) -> tuple[Product, ...]:
        rows = self._all("SELECT record FROM products ORDER BY number")
        return tuple(self._read(row[0], Product) for row in rows)

    def _find(self, query: str) -> tuple[str, ...]:
        with self._lock:
            return self._readably(lambda: tuple(asin for asin, _ in self._index.search(query, MOST_FOUND)))

    def _facts(self) -> dict[str, str]:
        facts = dict(self._db.execute("SELECT name, value FROM facts").fetchall())
        if facts.get("format") != str(FORMAT):
            raise ValueError(f"its format is {facts.get('format')}, not {FORMAT}")
        return facts

    def _row(self, query: str, *values: object) -> Any:
        rows = self._all(query, *values)
        if not rows:
            raise NotAStoreError(f"{self._path} lacks what it should hold for {values}; delete it")
        return rows[0]

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._readably(lambda: self._db.conn.execute(query, values).fetchall())

    def _read(self, record: bytes, kind: type[T]) -> T:
        return self._readably(lambda: from_json(record, kind))

    def _readably(self, read: Callable[[], T]) -> T:
        """What `read` reads; entering `_readable` costs as much as a query, so only a failure goes through it."""
        try:
            return read()
        except Exception:
            with _readable(self._path):
                raise


@lru_cache(maxsize=8)
def open_catalogue(path: Path) -> Catalogue:
    """The catalogue of a file: one for all environments of the process."""
    return Catalogue(path)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say which file it is, and what to do, where what it holds makes no sense."""
    try:
        with storage_errors(path):
            yield
    except (NotAStoreError, sqlite3.OperationalError, msgspec.DecodeError, LookupError, ValueError) as cause:
        reason = cause.__cause__ or cause
        raise NotAStoreError(
            f"{path} is no catalogue or damaged ({reason}); delete it, and it is made again"
        ) from cause
