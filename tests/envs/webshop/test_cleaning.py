"""Each rule by which an entry of the product files becomes a product. Refusals of raw fields: see `test_catalogue`."""

from __future__ import annotations

import pickle
from typing import Any, get_args

import pytest

from agentgym_critic.envs.webshop.cleaning import (
    LONGEST_PAGE,
    LONGEST_VALUE,
    MOST_ATTRIBUTES,
    MOST_ENTRIES,
    MOST_VALUES,
    NO_ATTRIBUTES,
    ProductError,
    Reason,
    clean_product,
)
from agentgym_critic.envs.webshop.product import Demand, Product

BARE: dict[str, Any] = {
    "asin": "B000000001", "name": "Pot", "full_description": "", "small_description": [], "images": [],
    "product_category": "", "category": "", "query": "",
}  # fmt: skip


def pot(note: Any = None, human: Any = (), **changes: Any) -> Product:
    return clean_product(BARE | changes, note, human)


def refusal(note: Any = None, human: Any = (), **changes: Any) -> ProductError:
    with pytest.raises(ProductError) as refused:
        pot(note, human, **changes)
    assert refused.value.reason in get_args(Reason)
    return refused.value


@pytest.mark.parametrize(
    ("pricing", "prices", "tag"),
    [
        ("", (100.0,), "$100.0"),
        (None, (100.0,), "$100.0"),
        ("$5", (5.0,), "$5.0"),
        ("$1,299.00", (1299.0,), "$1299.0"),
        ("USD $4.50", (4.5,), "$4.5"),
        ("$5.00 - $7.00", (5.0, 7.0), "$5.0 to $7.0"),
        ("$34.99$18.99", (34.99, 18.99), "$34.99 to $18.99"),
        ("$1.00$2.00$3.00", (1.0, 2.0), "$1.0 to $2.0"),
    ],
)
def test_prices(pricing: str | None, prices: tuple[float, ...], tag: str) -> None:
    product = pot(pricing=pricing)
    assert (product.prices, product.price_tag) == (prices, tag)


@pytest.mark.parametrize("pricing", ["$", "$abc", "$1.2.3", "12.99", "$1$2$x", "$" + "9" * 400, 12, ["$5"]])
def test_what_is_no_price(pricing: Any) -> None:
    assert refusal(pricing=pricing).reason == "price"


@pytest.mark.parametrize("asin", ["nan", "", "B0SYN0E00901", "b00", "B 1", 7])
def test_what_is_no_asin(asin: Any) -> None:
    assert refusal(asin=asin).reason == "asin"


def test_texts() -> None:
    product = pot(small_description="One.", images=["a.jpg", "b.jpg"], query=" Pots & PANS ")
    assert (product.bullets, product.image, product.query) == (("One.",), "a.jpg", "pots & pans")
    assert (pot().image, pot().bullets) == ("", ())
    assert pot(name="a\0b\udc80").title == "a\ufffdb\ufffd"


def test_options() -> None:
    values = [{"value": " Red/Blue ", "image": "r.jpg"}, {"value": "Green"}]
    product = pot(customization_options={"Color": values, "Style": None, "Size": []})
    assert product.options == {"color": ("red | blue", "green"), "size": ()}
    assert product.option_images == {"red | blue": "r.jpg", "green": None}
    assert pot(customization_options="").options == {}


def test_what_is_noted() -> None:
    asked = pot({"attributes": ["dim"], "instruction": "Find me a pot", "instruction_attributes": ["dim"]})
    assert (asked.attributes, asked.instruction, asked.instruction_attributes) == (("dim",), "Find me a pot", ("dim",))
    assert pot().attributes == pot({}).attributes == NO_ATTRIBUTES
    unasked = pot({"attributes": [], "instruction": None, "instruction_attributes": ["dim"]})
    assert (unasked.attributes, unasked.instruction, unasked.instruction_attributes) == ((), None, ())


def test_demands() -> None:
    entry = {"instruction": "a pot.", "instruction_attributes": ["dim"], "instruction_options": ["red"], "worker": 1}
    empty = {"instruction": 5, "instruction_attributes": []}
    assert pot(human=[entry, empty]).demands == (Demand(instruction="a pot.", attributes=("dim",), options=("red",)),)


@pytest.mark.parametrize(
    ("note", "human", "changes", "reason"),
    [
        ([], (), {}, "note"),
        ({"attributes": "dim"}, (), {}, "attributes"),
        ({"attributes": [], "instruction": "Find me"}, (), {}, "request"),
        ({"attributes": [], "instruction": "Find me", "instruction_attributes": []}, (), {}, "request"),
        (None, None, {}, "demands"),
        (None, [3], {}, "demands"),
        (None, [{"instruction": "a pot", "instruction_attributes": ["dim"]}], {}, "demands"),
        (None, (), {"full_description": None}, "description"),
        (None, (), {"small_description": [None]}, "bullets"),
        (None, (), {"small_description": [""] * (MOST_ENTRIES + 1)}, "bullets"),
        (None, (), {"images": "a.jpg"}, "images"),
        (None, (), {"images": [1]}, "images"),
        (None, (), {"query": None}, "query"),
        (None, (), {"category": 1}, "category"),
        (None, (), {"product_category": None}, "category"),
        (None, (), {"name": "x" * 10_001}, "title"),
        (None, (), {"customization_options": {"Color": [{"image": None}]}}, "options"),
        (None, (), {"customization_options": {"Color": [{"value": "red", "image": 3}]}}, "options"),
        (None, (), {"customization_options": {3: []}}, "options"),
        (None, (), {"customization_options": {"Color": [{"value": "x" * (LONGEST_VALUE + 1)}]}}, "options"),
        (None, (), {"customization_options": {"Color": [{"value": "x"}] * (MOST_VALUES + 1)}}, "options"),
        ({"attributes": ["dim"] * (MOST_ATTRIBUTES + 1)}, (), {}, "attributes"),
        ({"attributes": ["x" * (LONGEST_VALUE + 1)]}, (), {}, "attributes"),
        ({"attributes": [], "instruction": "", "instruction_attributes": ["x"] * 501}, (), {}, "request"),
        (
            None,
            [{"instruction": "", "instruction_attributes": ["x"], "instruction_options": ["x"] * 13}],
            {},
            "demands",
        ),
        (None, (), {"small_description": ["x" * 90_000] * 10}, "page"),
        (None, (), {"full_description": "<" * (LONGEST_PAGE // 4)}, "page"),
    ],
)
def test_reasons(note: Any, human: Any, changes: dict[str, Any], reason: str) -> None:
    assert refusal(note, human, **changes).reason == reason


def test_what_is_just_small_enough() -> None:
    values = [{"value": f"{number:x<{LONGEST_VALUE}}"} for number in range(800)]
    assert pot({"attributes": ["x" * LONGEST_VALUE] * 90}, customization_options={"Color": values}).options
    assert pot({"attributes": ["dim"] * MOST_ATTRIBUTES}, full_description="x" * 850_000).description
    error = refusal(full_description="x" * 950_000)
    assert str(error).startswith("a page of 950,")
    assert str(error).endswith(" characters where at most 900,000 can be shown")


def test_a_refusal_tells_how_much_there_is_and_can_be_sent_to_another_process() -> None:
    error = refusal(small_description=[""] * 10_001)
    assert str(error) == "10,001 bullets where at most 10,000 can be read"
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.reason, str(copy)) == (error.reason, str(error))
