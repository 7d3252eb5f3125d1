"""`Session`: where a shopper is and what is chosen, as one immutable value; and what each click leads to.

A session is all that changes in a shop, so a snapshot is the session itself. This module knows
neither how pages look nor what is in the catalogue.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["PAGE_SIZE", "SUB_PAGES", "Page", "Session"]

Page = Literal["search", "results", "item", "description", "features", "reviews", "attributes", "done"]

SUB_PAGES: tuple[Page, ...] = ("description", "features", "reviews", "attributes")
"""The pages of an article besides its own."""

PAGE_SIZE = 10
"""Products on a page of results."""


class Session(NamedTuple):
    """A moment of a visit."""

    page: Page = "search"
    keywords: tuple[str, ...] | None = None
    """The words last searched for; None before a search."""
    number: int | None = None
    """The page of results, from 1."""
    asin: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    """Names and values chosen, in the order in which the names were first chosen."""
    seen: frozenset[str] = frozenset()
    """Products opened since the last visit of the search page."""

    def searched(self, keywords: tuple[str, ...]) -> Session:
        """On the first page of results."""
        return Session("results", keywords, 1, None, (), self.seen)

    def turned(self, pages: int) -> Session:
        """On another page of the same results."""
        return self._replace(page="results", number=(self.number or 1) + pages, asin=None, options=())

    def opened(self, asin: str) -> Session:
        """On the page of a product."""
        return self._replace(page="item", asin=asin, seen=self.seen | {asin})

    def chose(self, name: str, value: str) -> Session:
        """With a value chosen for an option."""
        return self._replace(options=tuple({**dict(self.options), name: value}.items()))

    def turned_to(self, page: Page) -> Session:
        """On another page about the same product."""
        return self._replace(page=page)
