"""`CompatStorefront`: the rules of the reference where ours are other ones.

A search is possible on every page, even after the purchase; words in angle brackets search in other
ways than by text; what is clicked must be spelled as on the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_critic.envs.webshop.actions import Command, parse
from agentgym_critic.envs.webshop.choices import choices_to_the_letter
from agentgym_critic.envs.webshop.pages import Node, clickables
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.session import Session
from agentgym_critic.envs.webshop.storefront import Shop, Storefront
from agentgym_critic.envs.webshop.urls import url_of

__all__ = ["CompatStorefront", "EscapingShop"]


class EscapingShop:
    """A shop whose searches can begin with ``<q>`` (a query's products) or ``<c>`` (a category's).

    Args:
        shop: what is searched otherwise.
        products: all of them, in order.
    """

    def __init__(self, shop: Shop, products: Sequence[Product]) -> None:
        self._shop = shop
        self._products = products

    def product(self, asin: str) -> Product:
        """One that `find` has named."""
        return self._shop.product(asin)

    def find(self, keywords: Sequence[str]) -> Sequence[str]:
        """The products for a search, best first."""
        kind, rest = keywords[0] if keywords else "", " ".join(keywords[1:])
        if kind == "<q>":
            return [product.asin for product in self._products if product.query == rest]
        if kind == "<c>" and len(keywords) > 1:
            return [product.asin for product in self._products if product.category == keywords[1]]
        return self._shop.find(keywords)


class CompatStorefront(Storefront):
    """A visit by the reference's rules."""

    parse = staticmethod(parse)
    choices = staticmethod(choices_to_the_letter)

    def clickables(self, nodes: Sequence[Node]) -> list[str]:
        """What can be clicked on a page, and what only seems so."""
        return clickables(nodes)

    def possible(self, clickable: Sequence[str]) -> list[str]:
        """Of what can be clicked, what leads somewhere and can be spelled."""
        return [name for name in super().possible(clickable) if parse(f"click[{name}]") == Command("click", name)]

    def _no_search(self, session: Session, keywords: str) -> str:
        first, *rest = keywords.split(" ")
        if first in ("<r>", "<a>") or (first == "<c>" and not rest):
            return f"A search that begins with {first} ends in an error of the reference."
        return ""

    def _words(self, keywords: str) -> tuple[str, ...]:
        return tuple(keywords.split(" "))

    def _named(self, argument: str, clickable: Sequence[str]) -> str | None:
        return argument if argument in clickable else None

    def _turn(self, session: Session, step: int) -> Session:
        """What a turn does is read off the address; so what was searched for may decide."""
        url = url_of(session, "")
        page = next(name for name in ("search_results", "item_page", "item_sub_page", "done") if name in url)
        if page == "search_results":
            return session.turned(step)
        return session.turned(0) if page == "item_page" else session.turned_to("item")
