"""`clean_product`: an entry of the product files, with what is noted of it, as a `Product`.

What cannot be sold is refused with a countable reason. This module reads no files, draws no prices
and does not know of other products, so that an asin seen twice is its caller's business.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Any, Literal, NoReturn, TypeVar

from agentgym_critic.envs.webshop.product import Demand, Product
from agentgym_critic.errors import AgentGymError
from agentgym_critic.types import clean_text

__all__ = [
    "LONGEST_NAME",
    "LONGEST_PAGE",
    "LONGEST_TEXT",
    "LONGEST_VALUE",
    "MOST_ATTRIBUTES",
    "MOST_ENTRIES",
    "MOST_OPTIONS",
    "MOST_VALUES",
    "NO_ATTRIBUTES",
    "ProductError",
    "Reason",
    "clean_product",
]

Reason = Literal[
    "product", "asin", "title", "description", "bullets", "price", "images", "options", "query", "category",
    "note", "attributes", "request", "demands", "page",
]  # fmt: skip
"""Which part of a product could not be read; a request is that of synthetic goals, demands are people's, a page is
all of it together."""

LONGEST_TEXT = 1_000_000
"""Characters of a description, a bullet or a request."""

LONGEST_NAME = 10_000
"""Characters of any other text, but for these:"""

LONGEST_VALUE = 900
"""Characters of an attribute or a value of an option: these are compared with each other, which takes time that grows
with the square, and a value is to fit into an action."""

LONGEST_PAGE = 900_000
"""Characters of all texts of a product as HTML, each counted with 40 for what is around it: an observation has at most
a million."""

MOST_ENTRIES = 10_000
"""Entries of any other list."""

MOST_ATTRIBUTES = 500
"""Attributes of a product or a request: those of one are compared with those of the other."""

MOST_VALUES = 2_000
"""Values of all options of a product."""

MOST_OPTIONS = 12
"""Options of a product or a demand: the best choice among them takes time that grows as a power of 2."""

NO_ATTRIBUTES = ("DUMMY_ATTR",)
"""The attributes of a product of which none are noted."""

Entries = TypeVar("Entries", bound=Sequence[Any])

UNPRICED = (100.0,)
ASIN = re.compile(r"[A-Z0-9]{1,10}")
NO_PRICE_CHARACTER = re.compile(r"[^\d.]")


class ProductError(AgentGymError):
    """An entry of the product files that cannot be sold.

    Attributes:
        reason: which part of it could not be read.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message

    def __str__(self) -> str:
        """What is wrong and what was seen."""
        return self.message


def clean_product(raw: object, note: object = None, human: object = ()) -> Product:
    """Read a product.

    Args:
        raw: an entry of items_shuffle*.json.
        note: what items_ins_v2*.json has under its asin, a mapping; None if nothing.
        human: what items_human_ins.json has under its asin, a list; demands without attributes are left out.

    Raises:
        ProductError: part of it is missing, of the wrong type or too large, or its price is no number.
    """
    entry = _mapping("product", "a product", raw)
    attributes, instruction, instruction_attributes = _noted(note)
    options, images = _options(entry.get("customization_options"))
    product = Product(
        asin=_asin(entry.get("asin")),
        title=_name("title", "name", entry.get("name")),
        description=_text("description", "full_description", entry.get("full_description")),
        bullets=_bullets(entry.get("small_description")),
        prices=_prices(entry.get("pricing")),
        options=options,
        option_images=images,
        attributes=attributes,
        query=_name("query", "query", entry.get("query")).lower().strip(),
        category=_name("category", "category", entry.get("category")),
        product_category=_name("category", "product_category", entry.get("product_category")),
        image=_image(entry.get("images")),
        instruction=instruction,
        instruction_attributes=instruction_attributes,
        demands=_demands(human),
    )
    _require_page(product)
    return product


def _require_page(product: Product) -> None:
    """Refuse what is too long to be shown."""
    texts = [product.title, product.description, *product.bullets, *product.attributes, product.instruction or ""]
    texts += [product.query, product.category, product.product_category, *product.options]
    texts += [value for values in product.options.values() for value in values]
    texts.append(max((demand.instruction for demand in product.demands), key=len, default=""))
    length = sum(len(html.escape(text)) + 40 for text in texts)
    if length > LONGEST_PAGE:
        raise ProductError("page", f"a page of {length:,} characters where at most {LONGEST_PAGE:,} can be shown")


def _asin(value: object) -> str:
    asin = _name("asin", "asin", value)
    if not ASIN.fullmatch(asin):
        _refuse("asin", "asin", "one to ten capital letters and digits", value)
    return asin


def _bullets(value: object) -> tuple[str, ...]:
    bullets = value if isinstance(value, list | tuple) else [value]
    return tuple(_text("bullets", "a text of small_description", bullet) for bullet in _limited("bullets", bullets))


def _image(value: object) -> str:
    images = _list("images", "images", value)
    return _name("images", "the first image", images[0]) if images else ""


def _prices(value: object) -> tuple[float, ...]:
    if not value:
        return UNPRICED
    prices = [_price(text) for text in _name("price", "pricing", value).split("$")[1:]]
    if not prices:
        _refuse("price", "pricing", "dollars, as in '$12.99' or '$5.00 - $7.00'", value)
    return tuple(prices[:2])


def _price(text: str) -> float:
    try:
        price = float(Decimal(NO_PRICE_CHARACTER.sub("", text)))
    except InvalidOperation:
        price = math.inf
    if not math.isfinite(price):
        _refuse("price", "pricing", "a number after each '$'", text)
    return price


def _options(value: object) -> tuple[dict[str, tuple[str, ...]], dict[str, str | None]]:
    """The values of each option, and the image of each value."""
    options: dict[str, tuple[str, ...]] = {}
    images: dict[str, str | None] = {}
    for name, choices in _mapping("options", "customization_options", value or {}).items():
        if choices is not None:
            read = [_choice(choice) for choice in _list("options", "the values of an option", choices)]
            options[_name("options", "the name of an option", name).lower()] = tuple(value for value, _ in read)
            images.update(read)
    _limited("options", list(options), MOST_OPTIONS)
    _limited("options", list(chain(*options.values())), MOST_VALUES)
    return options, images


def _choice(value: object) -> tuple[str, str | None]:
    """A value of an option and its image."""
    choice = _mapping("options", "a value of an option", value)
    text = _text("options", "the value of an option", choice.get("value"), LONGEST_VALUE)
    image = choice.get("image")
    shown = None if image is None else _name("options", "the image of an option", image)
    return text.strip().replace("/", " | ").lower(), shown


def _noted(value: object) -> tuple[tuple[str, ...], str | None, tuple[str, ...]]:
    """Attributes, the request of synthetic goals and what that asks for."""
    note = {} if value is None else _mapping("note", "the note of a product", value)
    attributes = _names("attributes", "attributes", note["attributes"]) if "attributes" in note else NO_ATTRIBUTES
    if note.get("instruction") is None:
        return attributes, None, ()
    instruction = _text("request", "instruction", note["instruction"])
    asked = _names("request", "instruction_attributes", note.get("instruction_attributes"))
    if not asked:
        _refuse("request", "instruction_attributes", "what the instruction asks for", asked)
    return attributes, instruction, asked


def _demands(value: object) -> tuple[Demand, ...]:
    entries = (_mapping("demands", "a demand", entry) for entry in _list("demands", "demands", value))
    return tuple(_demand(entry) for entry in entries if entry.get("instruction_attributes"))


def _demand(entry: Mapping[str, Any]) -> Demand:
    return Demand(
        instruction=_text("demands", "instruction", entry.get("instruction")),
        attributes=_names("demands", "instruction_attributes", entry.get("instruction_attributes")),
        options=_names("demands", "instruction_options", entry.get("instruction_options"), MOST_OPTIONS),
    )


def _names(reason: Reason, field: str, value: object, most: int = MOST_ATTRIBUTES) -> tuple[str, ...]:
    names = _limited(reason, _list(reason, field, value), most)
    return tuple(_text(reason, f"a text of {field}", name, LONGEST_VALUE) for name in names)


def _name(reason: Reason, field: str, value: object) -> str:
    return _text(reason, field, value, LONGEST_NAME)


def _text(reason: Reason, field: str, value: object, longest: int = LONGEST_TEXT) -> str:
    if not isinstance(value, str):
        _refuse(reason, field, "a text", value)
    if len(value) > longest:
        _refuse(reason, field, f"at most {longest:,} characters", value)
    return clean_text(value)


def _list(reason: Reason, field: str, value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        _refuse(reason, field, "a list", value)
    return _limited(reason, value)


def _limited(reason: Reason, values: Entries, most: int = MOST_ENTRIES) -> Entries:
    if len(values) > most:
        raise ProductError(reason, f"{len(values):,} {reason} where at most {most:,} can be read")
    return values


def _mapping(reason: Reason, field: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        _refuse(reason, field, "an object", value)
    return value


def _refuse(reason: Reason, field: str, wanted: str, seen: object) -> NoReturn:
    size = f" ({len(seen):,} characters)" if isinstance(seen, str) and len(seen) > 60 else ""
    shown = f"{seen[:60]!r}..." if size and isinstance(seen, str) else repr(seen)[:60]
    raise ProductError(reason, f"{field} must be {wanted}; got {shown}{size}")
