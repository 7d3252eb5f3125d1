"""Which possible action does a piece of text mean? Conservatively: a wrong match is worse than none.

The rules, in order; each is tried on the text as it is, then without quotes, markup, list
numbers and trailing punctuation, then only up to its first punctuation mark, and a rule that
several actions satisfy is passed over:

1. the text is the action, or the action as prompts show it;
2. the same but for case and spacing;
3. the same but for articles, too;
4. the text is how exactly one action begins, in whole words, at least two of them.

There is no match by edit distance: "drawer 1" is one letter away from "drawer 2".
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence

from agentgym_critic.prompts import one_line

__all__ = ["LONGEST_ACTION", "match", "nearest", "peeled", "shortened"]

LONGEST_ACTION = 1_000
"""Longer texts name no action, and are not searched for one."""

_QUOTES = "\"'`*_“”‘’«»"  # noqa: RUF001 - quotes as models write them
_PAIRS = ("[]", "<>", "()", "{}")
_BULLET = re.compile(r"^(?:[-•+>]|\(?\d{1,3}[.):])\s+")
_PUNCTUATION = re.compile(r"\s*(?:[.,;:!?](?:\s|$)|\(|\s[-–—]\s)")  # noqa: RUF001 - dashes as models write them
_ARTICLES = frozenset({"a", "an", "the"})


def match(text: str, admissible: Sequence[str], *, whole: bool = False) -> str | None:
    """The possible action that `text` means, as the environment spells it, or None.

    Args:
        text: what was said.
        admissible: the possible actions.
        whole: only rules 1 to 3, on the text without its wrapping.
    """
    if len(text) > LONGEST_ACTION:
        return None
    readings = list(dict.fromkeys(_readings(text)))[: 2 if whole else None]
    for same in (_exact, one_line, _folded, _without_articles):
        for reading in readings:
            if action := _only(admissible, reading, same):
                return action
    return None if whole else next(filter(None, (_completed(reading, admissible) for reading in readings)), None)


def peeled(text: str) -> str:
    """The text without the quotes, markup, list number and final punctuation around it.

    >>> peeled('1. **`go north`**.')
    'go north'
    """
    previous = None
    while text != previous:
        previous = text
        text = _BULLET.sub("", text.strip().strip(_QUOTES).rstrip(".!,;").strip())
        if (pair := text[:1] + text[1:][-1:]) in _PAIRS and not set(pair) & set(text[1:-1]):
            text = text[1:-1]
    return text


def nearest(text: str, admissible: Sequence[str]) -> list[str]:
    """Up to two possible actions that look like `text`, for an explanation."""
    return difflib.get_close_matches(peeled(shortened(text)), admissible, n=2, cutoff=0.6)


def shortened(text: str, limit: int = 100) -> str:
    """At most `limit` characters, with an ellipsis for what is cut.

    >>> shortened("a long story", 7)
    'a long…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _readings(text: str) -> Iterator[str]:
    yield text
    yield (bare := peeled(text))
    yield peeled(_PUNCTUATION.split(bare, maxsplit=1)[0])


def _exact(text: str) -> str:
    return text


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _without_articles(text: str) -> str:
    return " ".join(word for word in _folded(text).split() if word not in _ARTICLES)


def _only(admissible: Sequence[str], reading: str, same: Callable[[str], str]) -> str | None:
    wanted = same(reading)
    found = {action for action in admissible if same(action) == wanted} if wanted else set()
    return found.pop() if len(found) == 1 else None


def _completed(reading: str, admissible: Sequence[str]) -> str | None:
    beginning = _without_articles(reading)
    if " " not in beginning:
        return None
    found = {action for action in admissible if _without_articles(action).startswith(beginning + " ")}
    return found.pop() if len(found) == 1 else None
