"""A turn as a chat: system message with the task, then what was seen and answered in alternation.

Later prompts begin like earlier ones: the listed actions stand at the very end, in the last
message only, so that a model's prefix cache holds from turn to turn. Knows no model and no
chat template.
"""

from __future__ import annotations

from collections.abc import Callable

from agentgym_critic.agents.matching import shortened
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import Message, user
from agentgym_critic.prompts import fields, fill, fingerprint, load_prompt, one_line, quote
from agentgym_critic.types import Exchange, Turn

__all__ = ["Answer", "chat", "check_system", "explained", "template", "wording"]

Answer = Callable[[int, str], str]
"""What the assistant said, given the number of the step and the action it came to."""

_TEMPLATES = ("turn", "listed", "unlisted", "dropped", "refused", "unreadable", "advice")


def template(name: str) -> str:
    """A packaged prompt of the agents."""
    return load_prompt("agentgym_critic.agents", name)


def check_system(system: str, expected: set[str]) -> str:
    """The system prompt, if it has the places it needs.

    Raises:
        ConfigError: it has other places.
    """
    if fields(system) != expected:
        raise ConfigError(f"the system prompt has the places {sorted(expected)}, got one with {sorted(fields(system))}")
    return system


def chat(turn: Turn, system: str, answer: Answer, dropped: int = 0) -> list[Message]:
    """The messages that ask for the action of a turn.

    Args:
        turn: what is known now; a critique in it becomes a further message.
        system: the filled system message.
        answer: how the assistant's earlier replies are written.
        dropped: how many of the oldest steps to leave out.
    """
    first = turn.index - len(turn.history)
    messages = [Message(role="system", content=system)]
    for place, past in enumerate(turn.history[dropped:], dropped):
        messages += [user(_seen(turn, place, dropped)), _said(answer(first + place, past.action))]
    messages.append(user(_now(turn, dropped)))
    if turn.advice and turn.rejected:
        messages += [_said(answer(turn.index, turn.rejected[-1])), user(_advice(turn))]
    return messages


def explained(messages: list[Message], raw: str, problem: str) -> list[Message]:
    """The messages, then the unreadable reply and what was wrong with it."""
    return [*messages, _said(raw or "(nothing)"), user(fill(template("unreadable"), problem=problem))]


def wording(system: str) -> str:
    """A fingerprint of all prompts, with this system message."""
    return fingerprint(system, *map(template, _TEMPLATES))


def _said(text: str) -> Message:
    return Message(role="assistant", content=text)


def _seen(turn: Turn, place: int, dropped: int) -> str:
    """What was seen at a place of the history, or now; the first one kept says what is left out."""
    seen = turn.observation if place == len(turn.history) else turn.history[place].observation
    text = quote(seen)
    if place > dropped:
        text = _with_refusal(turn.history[place - 1], seen, text)
    return fill(template("dropped"), count=str(dropped), observation=text) if place == dropped > 0 else text


def _with_refusal(last: Exchange, seen: str, text: str) -> str:
    """Environments of this package explain a refusal in the observation; others may not."""
    if not last.invalid_reason or last.invalid_reason in seen:
        return text
    return fill(template("refused"), reason=quote(shortened(last.invalid_reason, 500)), observation=text)


def _now(turn: Turn, dropped: int) -> str:
    return fill(template("turn"), observation=_seen(turn, len(turn.history), dropped), options=_options(turn))


def _options(turn: Turn) -> str:
    if turn.admissible_actions is None:
        return template("unlisted")
    return fill(template("listed"), actions="\n".join(f"- {one_line(action)}" for action in turn.admissible_actions))


def _advice(turn: Turn) -> str:
    rejected = ", ".join(repr(shortened(one_line(action))) for action in turn.rejected)
    return fill(template("advice"), advice=quote(turn.advice), rejected=rejected)
