"""`build`: write a catalogue file from entries of product files, or of our own world.

Entries are read one by one. What cannot be sold is left out and counted. The file appears whole or
not at all, so that processes that build the same one do not meet.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

from agentgym_critic.envs.webshop.catalogue import FORMAT
from agentgym_critic.envs.webshop.cleaning import ProductError, clean_product
from agentgym_critic.envs.webshop.files import Entry
from agentgym_critic.envs.webshop.goals import KINDS, Goal, GoalKind, draw_price, product_goals
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.nouns import NounSource, WordNouns
from agentgym_critic.envs.webshop.reward.score import best_purchase
from agentgym_critic.envs.webshop.search.contents import contents
from agentgym_critic.envs.webshop.search.writing import build_index
from agentgym_critic.envs.webshop.splits import SPLITS, UNREACHABLE, in_turn, split_of, without_repeats
from agentgym_critic.errors import EnvError, StoreFullError
from agentgym_critic.files import whole_file
from agentgym_critic.sqlite import storage_errors
from agentgym_critic.types import from_json, to_json

__all__ = ["MOST_GOALS", "build"]

MOST_GOALS = 50_000
"""Goals of a kind, at most; where products could have more, they are those of a sample of the products."""

MOST_OF_PRODUCT = 1_000
"""Goals of a product, at most."""

SEED = 0
"""Of prices, limits and samples."""

TABLES = """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE refused (reason TEXT PRIMARY KEY, number INTEGER);
    CREATE TABLE products (number INTEGER PRIMARY KEY, asin TEXT UNIQUE, query TEXT, price REAL, human INTEGER,
        synthetic INTEGER, record BLOB);
    CREATE TABLE goals (kind TEXT, split TEXT, number INTEGER, id TEXT UNIQUE, asin TEXT, record BLOB,
        PRIMARY KEY (kind, split, number));
"""


def build(path: Path, entries: Iterable[Entry]) -> None:
    """Write a catalogue.

    Args:
        path: of the file; one that is there is replaced.
        entries: as in the product files, in the order of the catalogue.

    Raises:
        EnvError: none of the entries is a product.
        StoreFullError: the disk is full, or the file may not be written.
        StoreError: it cannot be made there at all.
    """
    _make_folder(path.parent)
    with (
        whole_file(path, overwrite=True) as draft,
        storage_errors(path),
        closing(sqlite3.connect(draft)) as connection,
    ):
        db = Database(connection, execute_plugins=False)
        connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + TABLES)
        _write_products(db, entries)
        build_index(db, ((product.asin, contents(product)) for product in _products(db)))
        _write_goals(db, WordNouns())
        connection.execute("CREATE INDEX products_query ON products (query)")
        connection.execute("CREATE INDEX goals_asin ON goals (asin)")
        connection.commit()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise StoreFullError(
            f"the folder {folder} cannot be made ({cause.strerror}); name another one with cache= or "
            "AGENTGYM_CRITIC_CACHE"
        ) from cause


def _write_products(db: Database, entries: Iterable[Entry]) -> None:
    refused: Counter[str] = Counter()
    digest = hashlib.sha256()
    db.conn.executemany("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(entries, refused, digest.update))
    (size,) = db.execute("SELECT count(*) FROM products").fetchone()
    if not size:
        raise EnvError(f"there is no product among the entries; refused: {dict(refused)}", "WebShop")
    db.table("refused").insert_all({"reason": reason, "number": number} for reason, number in refused.items())
    facts = {"format": str(FORMAT), "id": digest.hexdigest()[:16], "size": str(size)}
    db.table("facts").insert_all({"name": name, "value": value} for name, value in facts.items())


def _rows(
    entries: Iterable[Entry], refused: Counter[str], update: Callable[[bytes], None]
) -> Iterator[tuple[object, ...]]:
    seen: set[str] = set()
    for product in _cleaned(entries, refused):
        if product.asin in seen:
            refused["duplicate"] += 1
            continue
        seen.add(product.asin)
        record = to_json(product)
        update(record)
        human, synthetic = len(product.demands), product.instruction is not None
        yield len(seen) - 1, product.asin, product.query, draw_price(product, SEED), human, synthetic, record


def _cleaned(entries: Iterable[Entry], refused: Counter[str]) -> Iterator[Product]:
    for entry in entries:
        try:
            yield clean_product(*entry)
        except ProductError as refusal:
            refused[refusal.reason] += 1


def _products(db: Database) -> Iterator[Product]:
    for (record,) in db.execute("SELECT record FROM products ORDER BY number"):
        yield from_json(record, Product)


def _write_goals(db: Database, nouns: NounSource) -> None:
    for kind in KINDS:
        placed: dict[str, list[Goal]] = {split: [] for split in (*SPLITS, UNREACHABLE)}
        goals, unreachable = _sample(db, kind, nouns)
        for goal in without_repeats(goals) if kind == "human" else goals:
            placed[UNREACHABLE if goal.id in unreachable else split_of(goal.asin)].append(goal)
        for split, own in placed.items():
            rows = (
                (kind, split, number, goal.id, goal.asin, to_json(goal)) for number, goal in enumerate(in_turn(own))
            )
            db.conn.executemany("INSERT INTO goals VALUES (?, ?, ?, ?, ?, ?)", rows)


def _sample(db: Database, kind: GoalKind, nouns: NounSource) -> tuple[list[Goal], set[str]]:
    """The goals of all products, or of so many at random that there are about `MOST_GOALS`; and which cannot be met."""
    asking = "SELECT number FROM products WHERE CASE ? WHEN 'human' THEN human ELSE synthetic END"
    numbers = [row[0] for row in db.execute(asking, (kind,))]
    rng = random.Random(SEED)  # noqa: S311 (a sample, no secret)
    rng.shuffle(numbers)
    goals: list[Goal] = []
    unreachable: set[str] = set()
    for number in numbers:
        if len(goals) >= MOST_GOALS:
            break
        product = _product(db, number)
        own = product_goals(product, kind, SEED)
        chosen = own if len(own) <= MOST_OF_PRODUCT else rng.sample(own, MOST_OF_PRODUCT)
        goals += chosen
        unreachable.update(goal.id for goal in chosen if not _reachable(goal, product, nouns))
    return goals, unreachable


def _product(db: Database, number: int) -> Product:
    return from_json(db.execute("SELECT record FROM products WHERE number = ?", (number,)).fetchone()[0], Product)


def _reachable(goal: Goal, product: Product, nouns: NounSource) -> bool:
    return best_purchase(product, goal, draw_price(product, SEED), nouns).score.reward == 1.0
