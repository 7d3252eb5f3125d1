"""Which of the actions that a critic model suggests may be passed on. Knows no model."""

from __future__ import annotations

from typing import NamedTuple

from agentgym_critic.critics.player import LONGEST_ACTION, listed_as, plain
from agentgym_critic.prompts import one_line
from agentgym_critic.types import Action, Turn, clean_text

__all__ = ["Suggestion", "admitted"]


class Suggestion(NamedTuple):
    """What is left of a suggestion."""

    action: str = ""
    """Spelled as the environment lists it; empty if none may be passed on."""
    dropped: str = ""
    """Why it may not, in words; empty if there was none, or it may."""


def admitted(text: str, turn: Turn, proposed: Action) -> Suggestion:
    """The suggested action if it can be taken now and is not the proposed one; else why it was dropped.

    Where the possible actions cannot be listed, any text of one line passes.
    """
    text = " ".join(clean_text(text).split())
    if not text:
        return Suggestion()
    if len(text) > LONGEST_ACTION:
        return Suggestion(dropped=f"the suggestion has {len(text)} characters, over {LONGEST_ACTION}: dropped")
    if plain(text) == plain(proposed.text):
        return Suggestion(dropped="the suggestion is the proposed action itself: dropped")
    action = text if turn.admissible_actions is None else listed_as(text, turn.admissible_actions)
    if action is None:
        return Suggestion(dropped=f"the suggestion {one_line(text[:80])!r} is not possible here: dropped")
    return Suggestion(action)
