"""Catalogue files: what is left out and counted, damage, splits that share nothing, and who may build at once."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.webshop import building
from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.catalogue import Catalogue, open_catalogue
from agentgym_critic.envs.webshop.cleaning import ProductError, Reason, clean_product
from agentgym_critic.envs.webshop.files import DEEPEST, ProductFiles, find_files
from agentgym_critic.envs.webshop.product import ANGLE, Product
from agentgym_critic.envs.webshop.sources import ABANDONED_S, find_catalogue
from agentgym_critic.envs.webshop.splits import SPLITS, split_of
from agentgym_critic.envs.webshop.world import generate
from agentgym_critic.errors import (
    EnvError,
    MissingDataError,
    NotAStoreError,
    StoreError,
    StoreFullError,
    UnknownIdError,
)

POT: dict[str, Any] = {
    "asin": "B000000001", "name": "Iron Pot", "full_description": "A pot.", "small_description": ["Heavy."],
    "pricing": "$12.50", "images": ["pot.jpg"], "product_category": f"Home {ANGLE} Kitchen", "category": "garden",
    "query": "Pots ", "customization_options": {"Color": [{"value": "Red/Blue", "image": None}, {"value": "green "}]},
}  # fmt: skip


def test_a_product() -> None:
    product = clean_product(POT, {"attributes": ["cast iron"], "instruction": "a pot", "instruction_attributes": ["x"]})
    assert product == Product(
        asin="B000000001", title="Iron Pot", description="A pot.", bullets=("Heavy.",), prices=(12.5,), image="pot.jpg",
        product_category=f"Home {ANGLE} Kitchen", category="garden", query="pots", attributes=("cast iron",),
        options={"color": ("red | blue", "green")}, option_images={"red | blue": None, "green": None},
        instruction="a pot", instruction_attributes=("x",),
    )  # fmt: skip
    assert product.price_tag == "$12.5"


@pytest.mark.parametrize(
    ("changes", "reason", "message"),
    [
        ({"asin": "B0000000012"}, "asin", "asin must be one to ten capital letters and digits"),
        ({"asin": None}, "asin", "asin must be a text; got None"),
        ({"name": 3}, "title", "name must be a text; got 3"),
        ({"pricing": "$1.2.3"}, "price", r"pricing must be a number after each '\$'; got '1.2.3'"),
        ({"pricing": "12"}, "price", "pricing must be dollars"),
        ({"full_description": "x" * 50_000_000}, "description", r"at most 1,000,000 characters.*\(50,000,000 charac"),
        ({"customization_options": [1]}, "options", "customization_options must be an object"),
        ({"customization_options": {"Size": "L"}}, "options", "the values of an option must be a list; got 'L'"),
    ],
)
def test_what_is_no_product(changes: dict[str, Any], reason: str, message: str) -> None:
    with pytest.raises(ProductError, match=message) as refused:
        clean_product(POT | changes)
    assert refused.value.reason == reason


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(changes=st.dictionaries(st.sampled_from(sorted(POT)), JSON, max_size=4), note=JSON, human=JSON)
def test_any_entry_is_a_product_or_is_refused(changes: dict[str, Any], note: Any, human: Any) -> None:
    try:
        assert isinstance(clean_product(POT | changes, note, human), Product)
    except ProductError as error:
        assert error.reason in get_args(Reason)  # noqa: PT017 -- either is right


def built(path: Path, entries: Iterable[Any]) -> Catalogue:
    build(path, entries)
    return Catalogue(path)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    entries = [(POT, None, []), (POT, None, []), (POT | {"asin": "B2", "pricing": "$"}, None, []), (None, None, [])]
    catalogue = built(tmp_path / "c.db", entries)
    assert (catalogue.size, catalogue.refused) == (1, {"duplicate": 1, "price": 1, "product": 1})
    assert catalogue.find(["pot"]) == ("B000000001",)
    with pytest.raises(UnknownIdError, match="no product 'B2'"):
        catalogue.product("B2")


def test_no_product_at_all(tmp_path: Path) -> None:
    with pytest.raises(EnvError, match=r"there is no product among the entries; refused: \{'product': 1\}"):
        build(tmp_path / "c.db", [(None, None, [])])
    assert list(tmp_path.iterdir()) == []


def test_the_same_products_have_the_same_id(tmp_path: Path) -> None:
    one, other = (built(tmp_path / name, generate(40, 3)) for name in ("a.db", "b.db"))
    assert one.id == other.id != built(tmp_path / "c.db", generate(40, 4)).id
    assert one.products() == other.products()
    assert one.products() is one.products()  # read once, shared by shops that are like the reference


def test_splits_share_no_product_and_no_request(shop_cache: Path) -> None:
    catalogue = find_catalogue(size=400, cache=shop_cache)
    seen: dict[str, str] = {}
    for split in SPLITS:
        for kind in ("human", "synthetic"):
            for number in range(catalogue.count_goals(kind, split)):
                goal = catalogue.goal(kind, split, number)
                assert split_of(goal.asin) == split
                if kind == "human":
                    words = goal.instruction_text.partition(", and price lower")[0]
                    assert seen.setdefault(words, split) == split
    assert len(seen) > 100


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    catalogue = find_catalogue(size=30, cache=tmp_path)
    (file,) = tmp_path.glob("*.db")
    open_catalogue.cache_clear()
    file.write_bytes(b"no database" * 1_000)
    with pytest.raises(NotAStoreError, match=r"is no catalogue .*delete it, and it is made again"):
        Catalogue(file)
    assert find_catalogue(size=30, cache=tmp_path).id == catalogue.id


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE goals",
        "DROP TABLE terms",
        "DELETE FROM facts",
        "UPDATE facts SET value = 'many' WHERE name = 'size'",
        "UPDATE products SET record = x'00'",
        "UPDATE products SET record = '{}'",
        "UPDATE terms SET divisors = x'00'",
    ],
)
def test_whatever_is_damaged_the_file_is_named(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "c.db"
    build(file, generate(20))
    connection = sqlite3.connect(file)
    connection.executescript(damage)
    connection.close()
    with pytest.raises(
        NotAStoreError, match=r"c\.db is no catalogue or damaged \(.+\); delete it, and it is made again"
    ):
        use(Catalogue(file))


def use(catalogue: Catalogue) -> None:
    catalogue.goal("synthetic", "train", 0)
    for asin in catalogue.asins():
        catalogue.find(catalogue.product(asin).title.split())


def test_a_file_that_is_cut_off_is_made_again(tmp_path: Path) -> None:
    catalogue = find_catalogue(size=30, cache=tmp_path)
    (file,) = tmp_path.glob("*.db")
    whole = file.read_bytes()
    for length in (0, 1, 4096, len(whole) - 4096):
        open_catalogue.cache_clear()
        file.write_bytes(whole[:length])
        assert find_catalogue(size=30, cache=tmp_path).id == catalogue.id
        assert file.stat().st_size == len(whole)


def test_a_file_that_is_taken_away_or_replaced_stays_readable(tmp_path: Path) -> None:
    build(tmp_path / "c.db", generate(30))
    catalogue, first = Catalogue(tmp_path / "c.db"), next(generate(1)).product["asin"]
    build(tmp_path / "c.db", generate(30, 1))
    (tmp_path / "c.db").unlink()
    assert catalogue.product(first).asin == first
    assert first in catalogue.find(catalogue.product(first).title.split())


KILLED = """
import sys, time
from pathlib import Path
from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.world import generate

def entries():
    yield from generate(20)
    print("begun", flush=True)
    time.sleep(600)

build(Path(sys.argv[1]), entries())
"""


def test_a_build_that_is_killed_leaves_no_catalogue_and_its_draft_is_cleared_later(tmp_path: Path) -> None:
    find_catalogue(size=20, cache=tmp_path)
    (file,) = tmp_path.glob("*.db")
    file.unlink()
    open_catalogue.cache_clear()
    with subprocess.Popen([sys.executable, "-c", KILLED, str(file)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()
    (draft,) = tmp_path.iterdir()
    assert draft.suffix == ".part"
    assert find_catalogue(size=20, cache=tmp_path).size == 20
    assert draft.exists()  # it might be another process's
    os.utime(draft, (time.time() - ABANDONED_S - 60,) * 2)
    find_catalogue(size=20, cache=tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_cache_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for cache in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(
            StoreFullError, match=r"the folder .*file.* cannot be made \(.+\); name another one with cache="
        ):
            find_catalogue(size=10, cache=cache)


def test_a_cache_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(building.sqlite3, "connect", lambda _: connect(tmp_path / "nowhere" / "c.db"))
    with pytest.raises(
        StoreError, match=r"c\.db cannot be opened, read or written .*check the disk and the permissions"
    ):
        build(tmp_path / "c.db", generate(10))
    assert list(tmp_path.iterdir()) == []


def test_many_may_build_and_read_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: find_catalogue(size=60, cache=tmp_path).find(["with"]), range(6)))
    catalogue = find_catalogue(size=60, cache=tmp_path)
    queries = [product.title.split()[-2:] for product in catalogue.products()]
    alone = [catalogue.find(query) for query in queries]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(Catalogue(next(tmp_path.glob("*.db"))).find, queries)) == alone
    assert len(set(found)) == 1
    assert pickle.loads(pickle.dumps(catalogue)).id == catalogue.id


def files(folder: Path, products: str, notes: str = "{}", human: str = "{}") -> ProductFiles:
    for name, text in (("items_shuffle_1000", products), ("items_ins_v2_1000", notes), ("items_human_ins", human)):
        (folder / f"{name}.json").write_text(text)
    return find_files(folder, "small")


def test_files_are_read_entry_by_entry(tmp_path: Path) -> None:
    note = {"attributes": ["cast iron"]}
    human = [{"instruction": "a pot.", "instruction_attributes": ["cast iron"], "instruction_options": []}]
    read = files(tmp_path, json.dumps([POT]), json.dumps({POT["asin"]: note}), json.dumps({POT["asin"]: human}))
    ((product, noted, asked),) = read.entries()
    assert (product, noted, asked) == (POT, note, human)
    stamp = read.stamp()
    files(tmp_path, json.dumps([POT, POT]))
    assert read.stamp() != stamp


@pytest.mark.parametrize(
    ("products", "message"),
    [
        ('[{"asin": "B1"', "items_shuffle_1000.json is damaged: "),
        ("{}", "items_shuffle_1000.json is no JSON file with a list at its top level"),
        ("", "items_shuffle_1000.json is no JSON file with a list at its top level"),
        ("[1] 2", r"items_shuffle_1000.json is damaged: parse error: trailing garbage; get it again$"),
        ('[{"name": NaN}]', "is damaged: lexical error: invalid char in json text; get it again$"),
        ('["\\udfff"]', "is damaged: 'utf-8' codec can't decode byte .*; get it again$"),
        (f"[{'9' * 5000}]", "is damaged: parse error: integer overflow; get it again$"),
    ],
)
def test_damaged_files(products: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(EnvError, match=message):
        list(files(tmp_path, products).entries())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    read = files(tmp_path, "[]")
    read.products.unlink()
    read.products.mkdir()
    with pytest.raises(
        EnvError, match=r"items_shuffle_1000.json cannot be read: Is a directory; is it a file, and may"
    ):
        list(read.entries())


def test_what_is_nested_without_end_is_cut_off(tmp_path: Path) -> None:
    deep = "[" * 20_000 + "]" * 20_000
    entry = json.dumps(POT | {"asin": "B2"})[:-1] + f', "product_information": {deep}}}'
    spoilt = json.dumps(POT)[:-1] + f', "name": {deep}}}'
    found = list(files(tmp_path, f" \n[{entry}, {deep}, {spoilt}]", f'{{"B2": {deep}}}', f'{{"B2": {deep}}}').entries())
    assert [entry.product["name"] for entry in found[:1]] == ["Iron Pot"]
    shown, depth = found[1].product, 1
    while shown:
        shown, depth = shown[0], depth + 1
    assert depth == DEEPEST - 1
    catalogue = built(tmp_path / "c.db", [*((one.product, None, []) for one in found), *found])
    assert (catalogue.size, catalogue.refused) == (1, {"note": 1, "product": 2, "title": 2})


def test_members_of_a_file_keep_their_order_and_shape(tmp_path: Path) -> None:
    products = [[], {}, [1, [2, {"a": []}]], None, "x", {"a": {"b": [1.5, True]}}, 3]
    notes = {"a": [], "b": {"a": 1}, "": {"": {}}, "c": None}
    read = files(tmp_path, json.dumps(products), json.dumps(notes))
    assert [entry.product for entry in read.entries()] == products
    known = [{"asin": asin} for asin in notes]
    assert [entry.note for entry in files(tmp_path, json.dumps(known), json.dumps(notes)).entries()] == list(
        notes.values()
    )


def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBSHOP_DATA", raising=False)
    with pytest.raises(MissingDataError, match="The folder of WebShop's files is not known"):
        find_files(None, "small")
    with pytest.raises(MissingDataError, match=r"holds no items_shuffle\.json\. Get items_shuffle_1000\.json and"):
        find_files(tmp_path, "full")


def test_a_world_begins_with_a_smaller_one() -> None:
    assert list(generate(80, 5))[:33] == list(generate(33, 5))
    assert len({entry.product["asin"] for entry in generate(20_000)}) == 20_000


def test_a_world_has_near_duplicates_that_differ_where_it_matters() -> None:
    products = [clean_product(*entry) for entry in generate(400)]
    for start in range(0, 400, 4):
        line = products[start : start + 4]
        words = [set(product.title.split()) for product in line]
        assert len({product.query for product in line}) == 1
        assert len(words[0] & words[1]) >= 4
        assert len({product.attributes for product in line}) >= 2
