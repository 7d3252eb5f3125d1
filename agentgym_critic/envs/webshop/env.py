"""`WebShopEnv`: an errand in a shop, as a `TextEnv`. `CompatWebShopEnv` goes on after the purchase."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.webshop.actions import Command
from agentgym_critic.envs.webshop.pages import Node
from agentgym_critic.envs.webshop.planner import Planner, Stock
from agentgym_critic.envs.webshop.reward.nouns import NounSource
from agentgym_critic.envs.webshop.reward.score import Score, score
from agentgym_critic.envs.webshop.searches import offered
from agentgym_critic.envs.webshop.session import Session
from agentgym_critic.envs.webshop.storefront import Shop, Storefront
from agentgym_critic.envs.webshop.tasks import Errand, GoalSource
from agentgym_critic.envs.webshop.urls import url_of
from agentgym_critic.envs.webshop.views import MODES, Shown
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError
from agentgym_critic.types import Oracle, clean_text

__all__ = ["CompatWebShopEnv", "WebShopEnv"]

SEPARATOR = " [SEP] "


class _World(NamedTuple):
    """A moment of an episode in a shop."""

    shop: str
    """The `env_version`: elsewhere the moment means something else."""
    errand: Errand
    session: Session
    score: Score | None
    past: tuple[str, ...]
    nodes: list[Node]
    clickable: list[str]


class WebShopEnv(TextEnv):
    """Shopping in text: search, look, choose options, buy what was asked for.

    Actions are ``search[keywords]`` on the search page and ``click[…]`` of what can be clicked.
    The reward, from 0 to 1, is given for the purchase, which ends the episode; it counts as success
    if it is 1. `info` has besides:

    - ``available_actions``: ``{"has_search_bar": bool, "clickables": list}``
    - ``score``: the parts of the reward, after a purchase; else None
    - ``catalogue``, ``catalogue_size``: id of what is sold, and the number of products
    - ``nouns``: which source of nouns the reward goes by
    - ``url``: the address of the page

    Args:
        shop: what is sold.
        stock: what the oracle may compare besides.
        goals: where errands come from, and prices.
        nouns: finds the nouns of titles.
        observation: one of `MODES`.
        attributes: whether product pages have a button for the attributes.
        offered_searches: whether only a few searches are possible, made from the words of the request; they are
            then listed as admissible. If any search is possible, the actions of the search page cannot be listed;
            so it is where no search can be made of a request.
        storefront: the rules of the pages.
        num_prev_obs: earlier observations to put behind the current one, in the mode ``text``.
        num_prev_actions: earlier actions to put there.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        shop: Shop,
        stock: Stock,
        goals: GoalSource,
        nouns: NounSource,
        *,
        observation: str = "text",
        attributes: bool = False,
        offered_searches: bool = False,
        storefront: type[Storefront] = Storefront,
        num_prev_obs: int = 0,
        num_prev_actions: int = 0,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        if observation not in MODES:
            raise UnknownIdError("observation mode", observation, MODES)
        if min(num_prev_obs, num_prev_actions) < 0:
            raise ConfigError("num_prev_obs and num_prev_actions are whole numbers from 0")
        self._shop, self._stock, self._goals, self._nouns = shop, stock, goals, nouns
        self._show, self._storefront = MODES[observation], storefront
        self._attributes, self._offers_searches = attributes, offered_searches
        self._shown_before = num_prev_obs, num_prev_actions
        self.episode_options = goals.options
        self.env_version = f"{goals.version}, nouns {nouns.id}, {observation}, {storefront.__name__}"
        self._errand: Errand | None = None
        self._visit_to(Session())

    def oracle(self) -> Oracle | None:
        """The next actions of shortest ways to the best reward there is, and their length; None after the purchase."""
        if not self._running:
            return Oracle(actions=(), steps_left=0) if self._success else None
        return self._planner().oracle(self._session)

    def __getstate__(self) -> dict[str, Any]:
        """All but what the planner has worked out."""
        return self.__dict__ | {"_plan": None}

    def close(self) -> None:
        """Forget the episode; the catalogue is shared and stays."""
        self._running, self._errand = False, None

    # ------------------------------------------------------------------ The world

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self._errand = self._goals.errand(self.episode_seed, options)
        self._front = self._storefront(self._shop, self._errand.goal.instruction_text, attributes=self._attributes)
        self._offered = self._possible_searches() if self._offers_searches else []
        self._plan: Planner | None = None
        self._past: tuple[str, ...] = ()
        self._score: Score | None = None
        self._visit_to(Session())
        return self._view()

    def _act(self, action: str) -> Outcome:
        self._remember(action)
        session, reward = self._front.follow(self._session, self._front.parse(action), self._clickable), 0.0
        if session.page == "done":
            self._score = self._judge(session)
            reward = self._score.reward
        self._visit_to(session)
        return Outcome(self._view(), reward, session.page == "done", reward == 1.0)

    def _possible_searches(self) -> list[str]:
        """What is offered, if anything can be made of the words of the request."""
        commands = (Command("search", words) for words in offered(self._playing().goal.instruction_text))
        return [each.argument for each in commands if each.argument and not self._front.refusal(Session(), each, ())]

    def _judge(self, session: Session) -> Score:
        """What is bought when a visit ends here."""
        assert session.asin is not None
        price, product = self._goals.price(session.asin), self._shop.product(session.asin)
        return score(product, self._playing().goal, price, dict(session.options), self._nouns)

    def _visit_to(self, session: Session) -> None:
        """Be at a moment of a visit, and know what its page shows."""
        self._session = session
        self._nodes: list[Node] = []
        self._clickable: list[str] = []
        if self._errand is not None:
            self._nodes = self._front.nodes(session, self._score.reward if self._score else 0.0)
            self._clickable = self._front.clickables(self._nodes)

    def _admissible(self) -> list[str] | None:
        if self._session.page != "search":
            return [f"click[{name}]" for name in self._front.possible(self._clickable)]
        return [f"search[{words}]" for words in self._offered] if self._offered else None

    def _refusal(self, action: str) -> str:
        command = self._front.parse(action)
        reason = self._front.refusal(self._session, command, self._clickable)
        if not reason and self._offered and command.verb == "search" and command.argument not in self._offered:
            return f"This search is not offered. Possible: {', '.join(self._admissible() or [])}."
        return reason

    def _refused(self, action: str, reason: str) -> str:
        """The page as it was; why is in `info`."""
        self._remember(action)
        return self._view()

    def _remember(self, action: str) -> None:
        if most := max(self._shown_before):
            self._past = (*self._past, self._page_text(), action)[-2 * most :]

    def _view(self) -> str:
        """The page, and before it what the settings show of earlier ones, the latest last."""
        past, (observations, actions) = self._past, self._shown_before
        shown = [self._page_text()]
        for back in range(1, max(observations, actions) + 1):
            shown += past[1 - 2 * back :][:1] if back <= actions and len(past) >= 2 * back else ()
            shown += past[-2 * back :][:1] if back <= observations and len(past) >= 2 * back else ()
        return SEPARATOR.join(reversed(shown))

    def _page_text(self) -> str:
        return clean_text(self._show(Shown(self._nodes, self._url(), self._session.seen)))

    def _url(self) -> str:
        return url_of(self._session, self._playing().session)

    def _kind(self) -> str:
        return ""

    def _get_world(self) -> Any:
        errand = self._playing()
        return _World(self.env_version, errand, self._session, self._score, self._past, self._nodes, self._clickable)

    def _set_world(self, world: Any) -> None:
        if not isinstance(world, _World):
            raise EnvError(f"the snapshot is of no visit of a shop, but holds a {type(world).__name__}", repr(self))
        if world.shop != self.env_version:
            raise EnvError(f"the snapshot is of another shop ({world.shop}), not {self.env_version}", repr(self))
        if world.errand is not self._errand and world.errand != self._playing():
            raise EnvError(f"the snapshot is of goal {world.errand.goal.id}, not {self._playing().goal.id}", repr(self))
        _, _, self._session, self._score, self._past, self._nodes, self._clickable = world

    def _state_key(self) -> str:
        session = self._session
        state = (self._playing().goal.id, *session[:-1], sorted(session.seen))
        return hashlib.blake2b(repr(state).encode(errors="replace"), digest_size=8).hexdigest()

    def _task(self) -> tuple[str, str]:
        errand = self._playing()
        return clean_text(errand.goal.id), errand.instruction

    def _info(self) -> dict[str, Any]:
        has_search_bar = self._session.page == "search"
        return super()._info() | {
            "available_actions": {"has_search_bar": has_search_bar, "clickables": list(self._clickable)},
            "score": self._score,
            "catalogue": self._stock.id,
            "catalogue_size": self._stock.size,
            "nouns": self._nouns.id,
            "url": self._url(),
        }

    def _planner(self) -> Planner:
        if self._plan is None:
            goal = self._playing().goal
            self._plan = Planner(
                self._shop, goal, self._goals.price, self._nouns, self._front, self._stock, self._offered
            )
        return self._plan

    def _playing(self) -> Errand:
        if self._errand is None:
            raise EnvError("no episode has been started; call reset() first", repr(self))
        return self._errand


class CompatWebShopEnv(WebShopEnv):
    """The reference's environment: actions count to the letter, and the episode goes on after a purchase."""

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out one action; after a purchase too, where a search begins another."""
        self._running = self._running or self._session.page == "done"
        return super().step(action)

    def _read(self, action: object) -> str:
        return action if isinstance(action, str) else ""
