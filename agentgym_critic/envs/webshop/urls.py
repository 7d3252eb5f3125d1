"""The address of a page: what the observation mode ``url`` shows, with nothing percent-encoded, as the reference."""

from __future__ import annotations

import json

from agentgym_critic.envs.webshop.session import SUB_PAGES, Session

__all__ = ["url_of"]

_ROOT = "http://127.0.0.1:3000"


def url_of(session: Session, name: str) -> str:
    """The address of the page a session is on.

    Args:
        session: where the shopper is.
        name: of the session.
    """
    words, options = "+".join(session.keywords or ()), dict(session.options)
    found = f"{words}/{session.number}"
    if session.page == "search":
        return f"{_ROOT}/{name}"
    if session.page == "results":
        return f"{_ROOT}/search_results/{name}/{found}"
    if session.page == "item":
        return f"{_ROOT}/item_page/{name}/{session.asin}/{found}/{json.dumps(options)}"
    if session.page in SUB_PAGES:
        return f"{_ROOT}/item_sub_page/{name}/{session.asin}/{found}/{session.page.capitalize()}/{options!r}"
    return f"{_ROOT}/done/{name}/{session.asin}/{options!r}"
