"""Ask a language model what it would do itself: the player's prompt, for critics that resample or score actions.

The chat has the form of the agents' own: what was seen and done in alternation, the possible actions at the
very end, so that a prefix cache holds from turn to turn. Advice and rejected proposals are left out, as they
are in the critics' other prompts.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import Message, user
from agentgym_critic.prompts import fill, fingerprint, one_line, quote
from agentgym_critic.types import Record, Turn

__all__ = ["LONGEST_ACTION", "PlayerPrompt", "listed_as", "plain", "read_action"]

LONGEST_ACTION = 1_000
"""A longer text is no action; environments refuse it."""

_TEMPLATES = ("player", "player_turn", "player_listed", "player_unlisted")
_LABEL = "action:"
_WRAPPING = " \t-*`\"'."
"""What may stand around an action that is listed."""


class PlayerPrompt(Record, frozen=True):
    """Asks for the player's next action."""

    history_steps: int | None = None
    """Show only this many of the latest steps; None for all."""

    def __post_init__(self) -> None:
        """Refuse a number that makes no sense."""
        if self.history_steps is not None and self.history_steps < 0:
            raise ConfigError(f"history_steps is a number of steps from 0, or None for all; got {self.history_steps}")

    @property
    def fingerprint(self) -> str:
        """Changes whenever the prompt for the same turn does."""
        return fingerprint(self, *map(template, _TEMPLATES))

    def messages(self, turn: Turn) -> list[Message]:
        """The chat that asks for the action of a turn."""
        skipped = 0 if self.history_steps is None else max(0, len(turn.history) - self.history_steps)
        chat = [Message(role="system", content=fill(template("player"), task=quote(turn.task)))]
        for past in turn.history[skipped:]:
            chat += [user(quote(past.observation)), Message(role="assistant", content=one_line(past.action))]
        now = fill(template("player_turn"), observation=quote(turn.observation), options=_options(turn))
        return [*chat, user(now)]


def read_action(reply: str, admissible: Sequence[str] | None) -> str:
    """The action that a reply of one line names, spelled as it is listed.

    A label before it is passed over, and marks around it where it is listed; nothing else is guessed.

    Raises:
        UnreadableReplyError: empty, several lines, too long, or no action of the list.
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if not lines:
        raise UnreadableReplyError("empty", "it was empty.")
    if len(lines) > 1:
        raise UnreadableReplyError("unparsable", f"it has {len(lines)} lines; an action is one.")
    line = lines[0]
    text = line[len(_LABEL) :].strip() if line.lower().startswith(_LABEL) else line
    if not 0 < len(text) <= LONGEST_ACTION:
        raise UnreadableReplyError("unparsable", f"an action has 1 to {LONGEST_ACTION} characters, it {len(text)}.")
    if admissible is None:
        return text
    action = listed_as(text, admissible) or listed_as(text.strip(_WRAPPING), admissible)
    if action is None:
        raise UnreadableReplyError("unparsable", f"{one_line(text[:80])!r} is not one of the possible actions.")
    return action


def listed_as(text: str, admissible: Sequence[str]) -> str | None:
    """The possible action that a text names, but for case and spacing; None if none or several."""
    if text in admissible:
        return text
    same = {action for action in admissible if plain(action) == plain(text)}
    return same.pop() if len(same) == 1 else None


def plain(action: str) -> str:
    """An action without what does not tell it from others: case and spacing."""
    return one_line(action).casefold()


def _options(turn: Turn) -> str:
    if turn.admissible_actions is None:
        return template("player_unlisted")
    return fill(template("player_listed"), actions="\n".join(f"- {one_line(each)}" for each in turn.admissible_actions))
