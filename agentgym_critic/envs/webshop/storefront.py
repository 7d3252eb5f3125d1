"""`Storefront`: the pages of one visit. What a session shows, what may be clicked and where that leads.

It knows the request only as text: neither the goal behind it nor rewards. `CompatStorefront` has the
reference's rules where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentgym_critic.envs.base import clean_action
from agentgym_critic.envs.webshop import pages
from agentgym_critic.envs.webshop.actions import Command, understand
from agentgym_critic.envs.webshop.choices import choices, told_apart
from agentgym_critic.envs.webshop.pages import BUTTONS, Node, clickables
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.session import PAGE_SIZE, SUB_PAGES, Session

__all__ = ["Shop", "Storefront"]


class Shop(Protocol):
    """What a storefront needs of a catalogue."""

    def find(self, keywords: Sequence[str]) -> Sequence[str]:
        """The products for a search, best first."""

    def product(self, asin: str) -> Product:
        """One that `find` has named."""


class Storefront:
    """A visit to a shop with a request.

    Args:
        shop: what it sells.
        instruction: the request, shown on each page.
        attributes: whether product pages have a button for the attributes.
    """

    parse = staticmethod(understand)
    """How an action is read."""
    choices = staticmethod(choices)
    """Which values of a product a click can choose."""

    def __init__(self, shop: Shop, instruction: str, *, attributes: bool = False) -> None:
        self._shop = shop
        self._instruction = instruction
        self._attributes = attributes

    def nodes(self, session: Session, reward: float = 0.0) -> list[Node]:
        """The page a session is on; the reward is told on the receipt."""
        if session.page == "search":
            return pages.search_page(self._instruction)
        if session.page == "results":
            return self._results(session)
        assert session.asin is not None
        if session.page == "done":
            return pages.done_page(session.asin, dict(session.options), reward)
        product = self._shop.product(session.asin)
        if session.page == "item":
            return pages.item_page(self._instruction, product, attributes=self._attributes)
        return pages.sub_page(self._instruction, product, session.page)

    def clickables(self, nodes: Sequence[Node]) -> list[str]:
        """What can be clicked on a page; of what reads alike the first, and buttons before options."""
        meant = [node for node in nodes if node.kind != "option" or clean_action(node.text) not in BUTTONS]
        return told_apart(clickables(meant))

    def possible(self, clickable: Sequence[str]) -> list[str]:
        """Of what can be clicked, what leads somewhere."""
        return [name for name in clickable if name != "search"]

    def refusal(self, session: Session, command: Command, clickable: Sequence[str]) -> str:
        """Why a command cannot be followed here; empty if it can."""
        if command.argument is None or command.verb not in ("search", "click"):
            return "An action is search[keywords] or click[what is on the page]."
        if command.verb == "search":
            return self._no_search(session, command.argument)
        if command.argument == "search":
            return "To search, write search[keywords]."
        if self._named(command.argument, clickable) is None:
            can = ", ".join(f"click[{name}]" for name in clickable) or "nothing"
            return f"There is no {command.argument!r} to click here. Possible: {can}."
        return ""

    def follow(self, session: Session, command: Command, clickable: Sequence[str]) -> Session:
        """Where a command leads that is not refused."""
        assert command.argument is not None
        if command.verb == "search":
            return session.searched(self._words(command.argument))
        name = self._named(command.argument, clickable)
        assert name is not None
        return self.click(session, name)

    def click(self, session: Session, name: str) -> Session:
        """Where a click leads on what the page has, but for the search button, which leads nowhere."""
        if name == "buy now":
            return session.turned_to("done")
        if name == "back to search":
            return Session()
        if name in ("next >", "< prev"):
            return self._turn(session, 1 if name == "next >" else -1)
        if session.page == "item" and name in SUB_PAGES:
            return session.turned_to(name)
        if session.page == "results":
            return session.opened(name.upper())
        return session.chose(self._option(session, name), name)

    def _turn(self, session: Session, step: int) -> Session:
        if session.page in SUB_PAGES:
            return session.turned_to("item")
        return session.turned(0 if session.page == "item" else step)

    def _option(self, session: Session, value: str) -> str:
        """The name of the option that a value is chosen for."""
        assert session.asin is not None
        return self.choices(self._shop.product(session.asin))[value]

    def _results(self, session: Session) -> list[Node]:
        assert session.keywords is not None
        assert session.number is not None
        found = self._shop.find(session.keywords)
        shown = found[(session.number - 1) * PAGE_SIZE : session.number * PAGE_SIZE]
        return pages.results_page(
            self._instruction, session.number, len(found), [self._shop.product(asin) for asin in shown]
        )

    def _no_search(self, session: Session, keywords: str) -> str:
        if session.page != "search":
            return "There is no search bar on this page; click[back to search] first."
        return ""

    def _words(self, keywords: str) -> tuple[str, ...]:
        return tuple(keywords.split())

    def _named(self, argument: str, clickable: Sequence[str]) -> str | None:
        """What is meant of what can be clicked; spaces of any kind are equal."""
        if argument in clickable:
            return argument
        wanted = clean_action(argument)
        return next((name for name in clickable if clean_action(name) == wanted), None)
