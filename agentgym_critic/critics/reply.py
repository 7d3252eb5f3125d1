"""Read a critic model's reply, strictly.

The one tolerance is in finding the JSON object: prose or a code fence may surround it. What
it holds is decoded by schema; nothing is guessed, so a reply either says something or is an
`UnreadableReplyError` that tells the model (and the verdict) what was wrong with it. Only what a
model generated is ever passed in here, never a prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from agentgym_critic.errors import LMReplyError
from agentgym_critic.types import FailureClass, Polarity

__all__ = [
    "MAX_REPLY_CHARS",
    "Judgement",
    "StepLabel",
    "UnreadableReplyError",
    "read_judgement",
    "read_labels",
    "read_object",
    "read_percent",
    "repeats",
    "require_steps",
]

MAX_REPLY_CHARS = 100_000
"""Longer replies are not searched."""

_OBJECT = re.compile(r'\{(?=\s*["}])')
"""Where a JSON object begins, as opposed to a brace in prose."""

T = TypeVar("T")


class UnreadableReplyError(LMReplyError):
    """A reply that says nothing usable; `failure` is the class of the verdict that records it."""

    def __init__(self, failure: FailureClass, problem: str) -> None:
        super().__init__(problem, "language model")
        self.failure: FailureClass = failure


class Judgement(NamedTuple):
    """What a verbalised reply says."""

    reason: str
    p: float
    """In [0, 1]."""


class StepLabel(msgspec.Struct, frozen=True):
    """What a review says of one step."""

    step: int
    """Number of the step, from 1."""
    label: Polarity
    reason: str = ""


class _Confidence(msgspec.Struct, frozen=True):
    reason: str
    confidence: float


class _Review(msgspec.Struct, frozen=True):
    steps: list[StepLabel]


def read_judgement(reply: str) -> Judgement:
    """The one object with ``reason`` and ``confidence`` (0 to 100).

    Raises:
        UnreadableReplyError: empty, no such object, several that differ, or a confidence out of range.
    """
    said = read_object(reply, "confidence", _Confidence)
    return Judgement(said.reason.strip(), read_percent("confidence", said.confidence))


def read_labels(reply: str, numbers: Sequence[int]) -> list[StepLabel]:
    """The one object whose ``steps`` label exactly the steps of these numbers, in order.

    Raises:
        UnreadableReplyError: empty, no such object, several that differ, or other steps than asked for.
    """
    labels = read_object(reply, "steps", _Review).steps
    require_steps([label.step for label in labels], numbers)
    return labels


def require_steps(got: Sequence[int], numbers: Sequence[int]) -> None:
    """Refuse answers for other steps than were asked for.

    Raises:
        UnreadableReplyError: the numbers differ, or their order.
    """
    if list(got) != list(numbers):
        raise UnreadableReplyError(
            "wrong_count",
            f"{len(numbers)} entries were asked for, the steps {numbers[0]} to {numbers[-1]} in order; "
            f"got {len(got)}, the steps {_brief(got)}.",
        )


def read_object(reply: str, key: str, schema: type[T]) -> T:
    """The one object with that key, decoded.

    Raises:
        UnreadableReplyError: empty, no such object, several that differ, or one that does not fit the schema.
    """
    return _decode(_find(reply, key), schema)


def read_percent(name: str, value: float) -> float:
    """A number from 0 to 100 as one from 0 to 1.

    Raises:
        UnreadableReplyError: it is out of range.
    """
    if not 0.0 <= value <= 100.0:
        raise UnreadableReplyError("out_of_range", f"{name} is from 0 to 100, got {value!r}.")
    return value / 100.0


def repeats(reply: str, shown: str) -> bool:
    """Whether an object of the reply stands, word for word, in what the model was shown, quoted or not.

    Raises:
        UnreadableReplyError: the reply is too long, or holds a broken object.
    """
    said = [_squeezed(text) for value, text in _objects(reply) if value]
    return bool(said) and any(map(_squeezed(_QUOTED.sub("", shown)).__contains__, said))


_QUOTED = re.compile(r"^\| ", re.MULTILINE)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _brief(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")


def _find(reply: str, key: str) -> dict[str, Any]:
    """The one JSON object with that key."""
    if not reply.strip():
        raise UnreadableReplyError("empty", "it was empty.")
    found: list[dict[str, Any]] = []
    for candidate, _ in _objects(reply):
        if key in candidate and candidate not in found:
            found.append(candidate)
    if not found:
        raise UnreadableReplyError("unparsable", f'it holds no JSON object with the key "{key}".')
    if len(found) > 1:
        raise UnreadableReplyError("unparsable", f'it holds {len(found)} different JSON objects with the key "{key}".')
    return found[0]


def _objects(reply: str) -> list[tuple[dict[str, Any], str]]:
    """All outermost JSON objects, and how they are written.

    A broken one spoils the reply: what it quotes could pass for an answer.
    """
    if len(reply) > MAX_REPLY_CHARS:
        raise UnreadableReplyError("unparsable", f"it is {len(reply)} characters long.")
    objects: list[tuple[dict[str, Any], str]] = []
    position = 0
    while match := _OBJECT.search(reply, position):
        try:
            value, position = _DECODER.raw_decode(reply, match.start())
        except (ValueError, RecursionError) as cause:
            raise UnreadableReplyError("unparsable", f"it holds a broken JSON object ({cause}).") from cause
        objects.append((value, reply[match.start() : position]))
    return objects


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is given twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates)


def _decode(value: dict[str, Any], schema: type[T]) -> T:
    try:
        return msgspec.convert(value, schema)
    except msgspec.ValidationError as cause:
        raise UnreadableReplyError("unparsable", f"its JSON object does not fit: {cause}.") from cause
