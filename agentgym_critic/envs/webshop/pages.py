"""What is on each page of the shop, as a list of nodes. How nodes are shown is for `views`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.session import SUB_PAGES, Page

__all__ = ["BUTTONS", "Node", "clickables", "done_page", "item_page", "results_page", "search_page", "sub_page"]

Kind = Literal["text", "button", "link", "option"]
"""A link leads to a product."""


class Node(NamedTuple):
    """A piece of text on a page."""

    kind: Kind
    text: str


BACK = Node("button", "Back to Search")
PREVIOUS = Node("button", "< Prev")
NEXT = Node("button", "Next >")
SEARCH = Node("button", "Search")
BUY = Node("button", "Buy Now")

BUTTONS = frozenset(node.text.lower() for node in (BACK, PREVIOUS, NEXT, SEARCH, BUY)) | frozenset(SUB_PAGES)
"""What a click means on whatever page, before anything else of that name."""


def clickables(nodes: Sequence[Node]) -> list[str]:
    """What can be clicked, lowercase: buttons in the order of the page, then products, then options."""
    of_kind = (node.text.lower() if kind != "option" else node.text
               for kind in ("button", "link", "option") for node in nodes if node.kind == kind)  # fmt: skip
    return list(dict.fromkeys(of_kind))


def search_page(instruction: str) -> list[Node]:
    """The page with the search bar."""
    return [_text("WebShop"), _text("Instruction: "), _text(instruction), SEARCH]


def results_page(instruction: str, number: int, total: int, products: Sequence[Product]) -> list[Node]:
    """A page of results.

    Args:
        instruction: the request.
        number: of the page, from 1.
        total: number of products found.
        products: what is on this page.
    """
    nodes = [*_head(instruction), BACK, _text(f"Page {number} (Total results: {total})")]
    nodes += [PREVIOUS, NEXT] if number > 1 else [NEXT]
    for product in products:
        nodes += [Node("link", product.asin), _text(product.title), _text(product.price_tag)]
    return nodes


def item_page(instruction: str, product: Product, *, attributes: bool) -> list[Node]:
    """The page of a product; with a button for its attributes, if asked for."""
    nodes = [*_head(instruction), BACK, PREVIOUS]
    for name, values in product.options.items():
        nodes += [_text(name), *(Node("option", value) for value in values)]
    nodes += [_text(product.title), _text(f"Price: {product.price_tag}"), _text("Rating: N.A.")]
    names = ["Description", "Features", "Reviews", *(["Attributes"] if attributes else [])]
    return [*nodes, *(Node("button", name) for name in names), BUY]


def sub_page(instruction: str, product: Product, page: Page) -> list[Node]:
    """The description, features, reviews (there are none) or attributes of a product."""
    return [*_head(instruction), BACK, PREVIOUS, *map(_text, _about(product, page))]


def done_page(asin: str, options: dict[str, str], reward: float) -> list[Node]:
    """The receipt. Most of its fields are never filled in."""
    bought = ["Purchased", "asin", asin, "options", json.dumps(options, sort_keys=True)]
    fields = [line for name in ("attrs", "category", "query", "product category") for line in (name, "None")]
    target = ["Target", "asin", "options", "attrs", "price upper", "instuction text", "category", "product category"]
    score = [
        "query",
        "Goal ",
        "None",
        "Reward",
        "Your score (min 0.0, max 1.0)",
        repr(reward),
        "Reward Details ",
        "None",
    ]
    thanks = ["Thank you for shopping with us!", "Your code: ", "None", " (Paste it in your MTurk interface.)"]
    return [_text(line) for line in (*thanks, *bought, *fields, *target, *score)]


def _about(product: Product, page: Page) -> list[str]:
    if page == "description":
        return [product.description] if product.description else []
    if page == "features":
        return [f" {bullet}" for bullet in product.bullets]
    if page == "attributes":
        return [*product.attributes, product.category, product.query, product.product_category]
    return []


def _head(instruction: str) -> list[Node]:
    return [_text("Instruction:"), _text(instruction)]


def _text(text: str) -> Node:
    return Node("text", text)
