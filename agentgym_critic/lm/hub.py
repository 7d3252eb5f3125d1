"""Whether the Hugging Face hub can be reached, found out in seconds.

The hub's own client retries for most of a minute where there is no network.
"""

from __future__ import annotations

import threading
import urllib.error
import urllib.request

from agentgym_critic.errors import require

__all__ = ["hub_problem"]

_TIMEOUT_S = 3.0


def hub_problem(model: str) -> str:
    """Why the hub does not offer `model` now; empty if it does.

    A repository that needs a token counts as offered: the hub's client knows the token.
    """
    constants = require("huggingface_hub.constants", "lm", "The Hugging Face hub")
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    url = f"{constants.ENDPOINT}/{model}/resolve/main/config.json"
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(_ask(url)), daemon=True)
    asking.start()
    asking.join(_TIMEOUT_S)  # a name look-up may hang far longer than any socket timeout
    return answers[0] if answers else f"{url} did not answer in {_TIMEOUT_S:g} s"


def _ask(url: str) -> str:
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=_TIMEOUT_S).close()  # noqa: S310
    except urllib.error.HTTPError as refusal:
        return "" if refusal.code in (401, 403) else f"{url} answered {refusal.code} {refusal.reason}"
    except (OSError, ValueError) as reason:
        return f"{url} cannot be reached ({reason})"
    return ""
