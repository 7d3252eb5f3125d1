"""`Planner`: the best reward a goal allows, and the shortest ways to it from any moment of a visit.

A visit is a small graph: from each page a few clicks lead on, and a search can be made again from
everywhere, so the best reward is the same wherever one is, until something is bought. What a way
costs is the number of actions: opening a product, a click for each option still missing, the purchase.

Exact where the best reward is 1 and the goal names at most one option: no product can then be bought with
fewer clicks than the goal's own. Otherwise all products are compared, or, in a large catalogue, those
that the goal's query leads to and the best found for its request, and `Oracle.exact` says so. Of
searches one is named. Where its first page shows the product, no other does better; else the way to it
is not exact. Where only some searches are offered, all that they find is compared, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from agentgym_critic.envs.webshop.actions import Command
from agentgym_critic.envs.webshop.goals import Goal
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.nouns import NounSource
from agentgym_critic.envs.webshop.reward.options import best_options
from agentgym_critic.envs.webshop.reward.score import Purchase, best_purchase, score
from agentgym_critic.envs.webshop.searches import searchable
from agentgym_critic.envs.webshop.session import PAGE_SIZE, SUB_PAGES, Session
from agentgym_critic.envs.webshop.storefront import Shop, Storefront
from agentgym_critic.types import Oracle

__all__ = ["MOST_COMPARED", "Planner", "Stock"]

MOST_COMPARED = 2_000
"""Products of a catalogue up to which all are compared; that takes a tenth of a second for a thousand."""


class Stock(Protocol):
    """What can be compared besides what a search shows."""

    id: str
    """The same for the same products."""
    size: int
    """Number of products."""

    def asins(self, *, query: str | None = None) -> list[str]:
        """Of all products, or of those a query leads to."""


class Planner:
    """Answers for every moment of a visit with one goal.

    Args:
        shop: what is sold.
        goal: what is asked for.
        price: what a product costs, in dollars.
        nouns: finds the nouns of titles.
        front: the pages.
        stock: what can be compared.
        searches: the only ones there are; if empty, anything can be searched for.
    """

    def __init__(
        self,
        shop: Shop,
        goal: Goal,
        price: Callable[[str], float],
        nouns: NounSource,
        front: Storefront,
        stock: Stock,
        searches: Sequence[str] = (),
    ) -> None:
        self._shop, self._goal, self._price, self._nouns, self._front, self._stock = (
            shop, goal, price, nouns, front, stock)  # fmt: skip
        self._offered = searches
        self._best = lru_cache(maxsize=None)(self._best_of)
        self.exact, self.best_reward, self._wanted = self._survey()

    def oracle(self, session: Session) -> Oracle | None:
        """The actions that begin a shortest way to the best reward; None where nothing is worth buying."""
        if not self.best_reward:
            return None
        steps = self._steps(session)
        if steps == math.inf:
            return None
        actions = tuple(name for name, after in self._moves(session) if self._steps(after) == steps - 1)
        return Oracle(actions=actions, steps_left=int(steps), exact=self.exact and self._searches_best)

    def _survey(self) -> tuple[bool, float, str]:
        """Whether it is known for certain, the best reward, and a product that gives it with the fewest clicks."""
        own = self._own()
        if not self._offered and own and len(self._goal.goal_options) <= 1 and self._reward(own[0]) == 1.0:
            return True, 1.0, own[0]
        compared, exact = self._compared(own)
        if not compared:
            return exact, 0.0, ""
        asin = max(compared, key=lambda asin: (self._reward(asin), -len(self._best(asin).options)))
        return exact, self._reward(asin), asin

    def _compared(self, own: Sequence[str]) -> tuple[Sequence[str], bool]:
        if self._offered:
            return list(dict.fromkeys(asin for words in self._offered for asin in self._shop.find(words.split()))), True
        if self._stock.size <= MOST_COMPARED:
            return self._stock.asins(), True
        found = self._shop.find(self._goal.instruction_text.lower().split())
        near = self._stock.asins(query=self._goal.query)[:MOST_COMPARED]
        return list(dict.fromkeys([*own, *found, *near])), False

    def _own(self) -> list[str]:
        """The goal's own product, if it is sold."""
        try:
            self._shop.product(self._goal.asin)
        except LookupError:
            return []
        return [self._goal.asin]

    def _best_of(self, asin: str) -> Purchase:
        product, price = self._shop.product(asin), self._price(asin)
        return best_purchase(product, self._goal, price, self._nouns, self._front.choices)

    def _reward(self, asin: str) -> float:
        return self._best(asin).score.reward

    # ------------------------------------------------------------------ Steps left

    def _steps(self, session: Session) -> float:
        """The number of actions to the best reward."""
        if session.page == "done":
            return 0 if self._worth(session) else math.inf
        return min(self._staying(session), self._again(session))

    def _staying(self, session: Session) -> float:
        """Without another search."""
        if session.page == "search":
            return math.inf
        if session.page == "results":
            return self._from_results(session)
        if session.page in SUB_PAGES:
            return 1 + self._staying(session.turned_to("item"))
        return min(self._from_item(session), 1 + self._from_results(session.turned(0)))

    def _again(self, session: Session) -> float:
        """With another search: here, or back on the search page."""
        return (1 if self._can_search(session) else 2) + self._after_search

    def _from_results(self, session: Session) -> float:
        """Turn pages, open a product, choose, buy."""
        found = self._shop.find(session.keywords or ())
        here = session.number or 1
        ways = (
            abs(place // PAGE_SIZE + 1 - here) + 1 + len(self._best(asin).options) + 1
            for place, asin in enumerate(found)
            if self._reward(asin) == self.best_reward
        )
        return min(ways, default=math.inf)

    def _from_item(self, session: Session) -> float:
        """Choose what is missing, buy."""
        assert session.asin is not None
        if self._reward(session.asin) != self.best_reward:
            return math.inf
        product, chosen = self._shop.product(session.asin), dict(session.options)
        return len(best_options(product, self._goal.goal_options, chosen, self._front.choices)) + 1

    def _worth(self, session: Session) -> bool:
        assert session.asin is not None
        product = self._shop.product(session.asin)
        options = dict(session.options)
        return score(product, self._goal, self._price(session.asin), options, self._nouns).reward == self.best_reward

    def _moves(self, session: Session) -> Iterator[tuple[str, Session]]:
        """Every click a page has, and what it leads to; of searches the one that finds what is wanted."""
        if self._can_search(session):
            for words in self._searches:
                yield f"search[{' '.join(words)}]", session.searched(words)
        for name in self._front.possible(self._front.clickables(self._front.nodes(session))):
            yield f"click[{name}]", self._front.click(session, name)

    def _can_search(self, session: Session) -> bool:
        return any(self._allows(session, words) for words in self._searches)

    def _allows(self, session: Session, words: Sequence[str]) -> bool:
        return not self._front.refusal(session, Command("search", " ".join(words)), ())

    @cached_property
    def _searches(self) -> list[tuple[str, ...]]:
        """Those that are offered, or else the one that shows what is wanted as early as any that were tried."""
        if self._offered:
            return [tuple(words.split()) for words in self._offered]
        described = _descriptions(self._shop.product(self._wanted), self._goal)
        tried = [words for text in described if self._allows(Session(), words := tuple(text.split()))]
        return sorted(tried, key=lambda words: self._page(self._wanted, words))[:1]

    @cached_property
    def _after_search(self) -> float:
        """The number of actions from the results of the best search."""
        return min((self._from_results(Session().searched(words)) for words in self._searches), default=math.inf)

    @cached_property
    def _searches_best(self) -> bool:
        """Whether it is certain that no other search would save an action."""
        fewest = 1 + len(self._best(self._wanted).options) + 1
        return bool(self._offered) or self._after_search == fewest

    def _page(self, asin: str, words: Sequence[str]) -> float:
        """On which page of results a product is, from 0."""
        found = self._shop.find(words)
        return found.index(asin) // PAGE_SIZE if asin in found else math.inf


def _descriptions(product: Product, goal: Goal) -> Iterator[str]:
    """What one may search for to find a product."""
    texts = [
        product.title,
        f"{product.title} {product.description}",
        f"{product.title} {' '.join(product.bullets[:1])}",
    ]
    values = " ".join(value for own in product.options.values() for value in own)
    for text in (*texts, goal.instruction_text, f"{product.title} {product.description} {values}"):
        if search := searchable(text):
            yield search
