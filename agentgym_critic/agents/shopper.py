"""`Shopper`: a baseline for WebShop that goes by words: it searches the request and buys what matches it best.

It keeps nothing between turns and asks no oracle. It reads the observation mode ``text``; in others it
opens the first product of a page.
"""

from __future__ import annotations

import re

from agentgym_critic.errors import AgentError
from agentgym_critic.types import Action, Turn

__all__ = ["Shopper"]

_LIMIT = re.compile(r",? and price lower than (\d+(?:\.\d+)?) dollars$")
_PRICE = re.compile(r"\$(\d+(?:\.\d+)?)")
_CLICK = re.compile(r"click\[(.+)\]")
_PRODUCT = re.compile(r"b\d[a-z0-9]{8}|\d{9}[\dx]")
_BUTTONS = frozenset(
    ("search", "back to search", "next >", "< prev", "description", "features", "reviews", "attributes", "buy now")
)
_SEPARATOR = " [SEP] "


class Shopper:
    """Searches the request, opens the result whose title has most of its words, chooses options it names, buys."""

    id = "shopper-1"

    def reset(self, seed: int) -> None:
        """Nothing to forget, and nothing is random."""

    def propose(self, turn: Turn) -> Action:
        """The next action by the rules."""
        actions = turn.admissible_actions
        if actions is None or (actions and actions[0].startswith("search[")):
            return Action(text=actions[0] if actions else f"search[{_request(turn.task)}]")
        names = [found[1] for found in map(_CLICK.fullmatch, actions) if found]
        return Action(text=f"click[{self._click(turn, names)}]")

    def _click(self, turn: Turn, names: list[str]) -> str:
        if "buy now" in names:
            return next(iter(_missing(turn, names)), "buy now")
        products = [name for name in names if name not in _BUTTONS and _PRODUCT.fullmatch(name)]
        if products:
            return _best(turn, products)
        if not names:
            raise AgentError("nothing here can be clicked: this is no page of WebShop, the only place to shop", self.id)
        return "< prev" if "< prev" in names else names[0]


def _request(task: str) -> str:
    """The request without its price, as a search."""
    return re.sub(r"[\[\]]", " ", _LIMIT.sub("", task))[:900].strip()


def _best(turn: Turn, products: list[str]) -> str:
    """The product with most words of the request in its title, of those that are not too dear; the first of equals."""
    pieces = turn.observation.split(_SEPARATOR)
    places = {piece.lower(): place for place, piece in enumerate(pieces)}
    wanted, limit = _words(_request(turn.task)), _LIMIT.search(turn.task)

    def fit(product: str) -> tuple[bool, int]:
        title, price = [*pieces[places[product] + 1 :], "", ""][:2] if product in places else ("", "")
        dollars = _PRICE.search(price)
        cheap = not (limit and dollars) or float(dollars[1]) <= float(limit[1])
        return cheap, len(wanted & _words(title))

    return max(products, key=fit)


def _missing(turn: Turn, names: list[str]) -> list[str]:
    """The options that the request names and that were not chosen since the product was opened, longest first."""
    chosen: set[str] = set()
    for past in turn.history:
        found = _CLICK.fullmatch(past.action)
        name = found[1].lower() if found else ""
        chosen = set() if _PRODUCT.fullmatch(name) or name == "back to search" else chosen | {name}
    named = _named([name for name in names if name not in _BUTTONS], turn.task.lower())
    return [name for name in named if name not in chosen]


def _named(values: list[str], task: str) -> list[str]:
    """The values that a text names, the longest first, each place of the text counted once."""
    found = []
    for value in sorted(values, key=len, reverse=True):
        place = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])")
        if place.search(task):
            found.append(value)
            task = place.sub("|", task)
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))
