"""WebShop: finding and buying what was asked for, in text. See `make_webshop`."""

from __future__ import annotations

import os
from typing import Any

from agentgym_critic.envs.webshop.compat import CompatStorefront, EscapingShop
from agentgym_critic.envs.webshop.env import CompatWebShopEnv, WebShopEnv
from agentgym_critic.envs.webshop.goals import KINDS, GoalKind
from agentgym_critic.envs.webshop.reward.nouns import NounSource, pick_nouns
from agentgym_critic.envs.webshop.sources import CATALOGUES, find_catalogue
from agentgym_critic.envs.webshop.tasks import OfficialSessions, SplitGoals, known_splits
from agentgym_critic.errors import ConfigError, UnknownIdError
from agentgym_critic.settings import folder_of

__all__ = ["CATALOGUES", "CompatWebShopEnv", "WebShopEnv", "make_webshop"]


def make_webshop(
    catalogue: str = "procedural",
    *,
    goals: GoalKind = "synthetic",
    split: str | None = None,
    size: int | None = None,
    catalogue_seed: int | None = None,
    data: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    nouns: str | NounSource | None = None,
    compat: bool = False,
    compat_seed: int | None = None,
    limit_goals: int | None = None,
    session_prefix: str | None = None,
    observation: str = "text",
    attributes: bool = False,
    offered_searches: bool = False,
    num_prev_obs: int = 0,
    num_prev_actions: int = 0,
    max_steps: int | None = 100,
    render_mode: str | None = None,
) -> WebShopEnv:
    """Build ``agentgym_critic/WebShop-v0``.

    Args:
        catalogue: ``"procedural"``: products of our own world, without data; ``"small"`` or ``"full"``: WebShop's.
        goals: ``"synthetic"``, from attributes and options, or ``"human"``, in the words of people.
        split: ``"train"`` (default), ``"dev"``, ``"test"`` or ``"unreachable"``; with `compat` ``"all"``
            (default), ``"test"``, ``"eval"`` or ``"train"``. Seed ``s`` has goal ``s`` modulo their number.
        size: number of procedural products, 1,000 by default.
        catalogue_seed: of procedural products, 0 by default.
        data: the folder of WebShop's files; None for ``$WEBSHOP_DATA``.
        cache: where catalogues are kept; None for the user's cache folder.
        nouns: where the nouns of titles come from: ``"spacy"``, ``"words"``, or a `NounSource`; None for the
            best there is.
        compat: whether everything is as in the reference, its faults included.
        compat_seed: what the reference's random numbers begin with; 0 by default.
        limit_goals: keep so many goals, drawn by weight; with `compat` only.
        session_prefix: of the names of sessions; with `compat` only.
        observation: what is shown of a page: ``"text"``, ``"text_rich"``, ``"url"`` or ``"html"``.
        attributes: whether product pages have a button for the attributes.
        offered_searches: whether only a few searches are possible, made from the words of the request.
        num_prev_obs: earlier observations to put behind the current one, in the mode ``"text"``.
        num_prev_actions: earlier actions to put there.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused, the split is empty, or not even its first goal can be rewarded.
        MissingDataError: WebShop's files are not on this machine.
        MissingExtraError: spaCy or its model is asked for and not installed.
    """
    if goals not in KINDS:
        raise UnknownIdError("kind of goals", goals, KINDS)
    if split is not None and split not in known_splits(compat):
        raise UnknownIdError("WebShop split", split, known_splits(compat))
    if not compat and (compat_seed, limit_goals, session_prefix) != (None, None, None):
        raise ConfigError("compat_seed, limit_goals and session_prefix belong to compat=True")
    settings: dict[str, Any] = {
        "observation": observation,
        "attributes": attributes,
        "offered_searches": offered_searches,
        "num_prev_obs": num_prev_obs,
        "num_prev_actions": num_prev_actions,
        "max_steps": max_steps,
        "render_mode": render_mode,
    }
    data, cache = folder_of("data", data), folder_of("cache", cache)
    stock = find_catalogue(catalogue, size=size, seed=catalogue_seed, data=data, cache=cache)
    source = pick_nouns(nouns) if nouns is None or isinstance(nouns, str) else nouns
    if not compat:
        chosen = SplitGoals(stock, goals, split or "train")
        chosen.check(source)
        return WebShopEnv(stock, stock, chosen, source, **settings)
    products = stock.products()
    sessions = OfficialSessions(
        stock.id, products, goals, split or "all", compat_seed or 0, limit_goals, session_prefix or ""
    )
    sessions.check(source)
    shop = EscapingShop(stock, products)
    return CompatWebShopEnv(shop, stock, sessions, source, storefront=CompatStorefront, **settings)
