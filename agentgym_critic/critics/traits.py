"""What can be told of a step in any world of texts, as numbers: its relation to task, sight and past.

Knows no environment. It compares words, counts repetitions, and where a text holds a map drawn with signs it
measures from the signs that occur once to each other and to their neighbours.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np

from agentgym_critic.critics.logistic import Floats
from agentgym_critic.critics.rules import RuleCritic
from agentgym_critic.types import Action, Turn

__all__ = ["TRAITS_VERSION", "traits"]

TRAITS_VERSION = 1
_WORD = re.compile(r"[^\W_]+")
_RULES = RuleCritic()
_BEATEN_PATH = 3
_FAR = 2


def traits(turn: Turn, action: str, dim: int = 128) -> Floats:
    """Signed feature hashing of the named traits of taking `action` in `turn`, float64 `[dim]`.

    Args:
        turn: where the action would be taken.
        action: the proposal.
        dim: length of the vector.
    """
    vector = np.zeros(dim)
    for name, value in _named(turn, action):
        digest = int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")
        vector[digest % dim] += value if digest >> 63 else -value
    return vector


def _named(turn: Turn, action: str) -> Iterator[tuple[str, float]]:
    """The traits that hold, each with its strength; what occurs together with the verb is told of it, too."""
    verb = _shape(action, turn)
    plain = [*_past(turn, action), *_words(turn, action)]
    yield f"verb {verb}", 1.0
    for name, value in plain:
        yield name, value
        yield f"{verb} {name}", value / 2
    for name in _map(turn.observation):
        yield f"{verb} {name}", 0.5


def _shape(action: str, turn: Turn) -> str:
    """The action without what is particular to this task: the words that most actions on offer do not share."""
    offered = Counter(word for other in turn.admissible_actions or () for word in set(_tokens(other)))
    words = _tokens(action)
    if len(words) <= 2 and len(turn.admissible_actions or ()) <= 8:
        return " ".join(words)
    kept = [word for place, word in enumerate(words) if place == 0 or (offered[word] > 2 and not word.isdigit())]
    return " ".join(kept[:3])


def _past(turn: Turn, action: str) -> Iterator[tuple[str, float]]:
    (rule,) = _RULES.judge(turn, [Action(text=action)], [[]])
    seen = sum(past.observation == turn.observation for past in turn.history)
    done = sum(past.action == action for past in turn.history)
    yield f"rule {rule.p}", 1.0
    yield f"seen {min(seen, _BEATEN_PATH)}", 1.0
    yield f"done {min(done, _BEATEN_PATH)}", 1.0
    yield f"last {_shape(turn.history[-1].action, turn) if turn.history else ''}", 1.0
    yield "late", math.log1p(turn.index) / 3
    yield "choice", math.log1p(len(turn.admissible_actions or ())) / 3
    if turn.history and turn.history[-1].invalid_reason:
        yield "refused", 1.0


def _words(turn: Turn, action: str) -> Iterator[tuple[str, float]]:
    """How much the action speaks of the task, of what is seen, and of what was seen before."""
    words = set(_tokens(action)[1:] or _tokens(action))
    before = set(_tokens(" ".join(past.observation for past in turn.history[-8:])))
    for name, text in (("task", turn.task), ("sight", turn.observation)):
        shared = len(words & set(_tokens(text))) / max(1, len(words))
        yield f"{name} {round(2 * shared)}", 1.0
    yield "known", len(words & before) / max(1, len(words))
    for word in set(_tokens(turn.observation)) & set(_tokens(turn.task)):
        yield f"goal in sight {len(word) > _BEATEN_PATH}", 0.2


def _map(text: str) -> Iterator[str]:
    """For each two signs that a drawn map shows once how they lie to each other, and what is around each."""
    rows = _drawn(text)
    signs = Counter(char for row in rows for char in row)
    places = {char: (y, x) for y, row in enumerate(rows) for x, char in enumerate(row) if signs[char] == 1}
    for one, (y, x) in places.items():
        for step, (down, right) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
            for far in range(1, _FAR + 1):
                yield f"{one} sees {step} {far} {_at(rows, y + far * down, x + far * right)}"
        for other, (v, u) in places.items():
            if one != other:
                yield f"{one} to {other} {np.sign(v - y)} {np.sign(u - x)}"
                yield f"{one} to {other} exactly {max(-2, min(2, v - y))} {max(-2, min(2, u - x))}"


def _drawn(text: str) -> list[str]:
    """The longest run of lines of equal length without spaces in words: a map, or nothing."""
    best: list[str] = []
    run: list[str] = []
    for line in text.splitlines():
        if run and len(line) != len(run[-1]):
            run = []
        if len(line) > 1 and (" " not in line.strip() or not _WORD.search(line)):
            run.append(line)
        else:
            run = []
        if len(run) > len(best):
            best = list(run)
    return best if len(best) > 1 else []


def _at(rows: Sequence[str], y: int, x: int) -> str:
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else ""


def _tokens(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
