"""How a page is shown: one function for each observation mode. Knows nodes, not what they are about."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentgym_critic.envs.webshop.pages import Node

__all__ = ["MODES", "Shown", "as_html", "as_rich_text", "as_text", "as_url"]


class Shown(NamedTuple):
    """What a view may show of a moment."""

    nodes: Sequence[Node]
    url: str
    seen: frozenset[str]
    """Products opened since the last visit of the search page."""


def as_text(page: Shown) -> str:
    """All texts in a line, parted by ``[SEP]``; what is chosen does not show, as in the reference."""
    return " [SEP] ".join(node.text.strip() for node in page.nodes if node.text)


def as_rich_text(page: Shown) -> str:
    """A text a line, with marks around what can be clicked and what has been."""
    clicked = [f"You have clicked {node.text}.\n" for node in page.nodes if _chosen(node, page)]
    return "".join([*reversed(clicked), *(_line(node, page) for node in page.nodes if node.text)])


def as_url(page: Shown) -> str:
    """The address alone."""
    return page.url


def as_html(page: Shown) -> str:
    """A small HTML document: paragraphs and buttons; chosen ones have the class ``clicked``."""
    body = "\n".join(_element(node, page) for node in page.nodes if node.text)
    return f'<!DOCTYPE html>\n<html lang="en"><head><title>WebShop</title></head><body>\n{body}\n</body></html>\n'


MODES: dict[str, Callable[[Shown], str]] = {
    "text": as_text,
    "text_rich": as_rich_text,
    "url": as_url,
    "html": as_html,
}
"""The observation modes by name."""


def _line(node: Node, page: Shown) -> str:
    mark = "clicked button" if _clicked(node, page) else "button"
    indent = {"link": "\n", "option": "  "}.get(node.kind, "")
    return f"{node.text}\n" if node.kind == "text" else f"{indent}[{mark}] {node.text} [{mark}_]\n"


def _clicked(node: Node, page: Shown) -> bool:
    return _chosen(node, page) or (node.kind == "link" and node.text in page.seen)


def _chosen(node: Node, page: Shown) -> bool:
    """Whether an option counts as chosen: its value stands in quotes in the address, as the reference has it."""
    return node.kind == "option" and f'"{node.text}"' in page.url


def _element(node: Node, page: Shown) -> str:
    text = html.escape(node.text)
    if node.kind == "text":
        return f"<p>{text}</p>"
    return f'<button class="{node.kind}{" clicked" if _clicked(node, page) else ""}">{text}</button>'
