"""A turn as numbers: hashed features of the situation, and of every listed action in it.

The features are words, names in their roles (`reading`), what memory says of the names an action has
(`memory`), and maps around the player (`grid`). None depends on a list of a game's words.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.text_ranker.grid import near_player, seen_from_player
from agentgym_critic.agents.text_ranker.memory import Memory
from agentgym_critic.agents.text_ranker.reading import likes, names_in, read_command, roles, word_of, words_in
from agentgym_critic.types import Turn

__all__ = ["Encoded", "Ids", "encode"]

Ids: TypeAlias = NDArray[np.int32]

_WORDS = 80  # of an observation
_TASK_WORDS = 8


class Encoded(NamedTuple):
    """One turn: rows of the table of features."""

    state: Ids
    """`[features]` of the situation."""
    actions: Ids
    """`[features]` of all actions, one action after the other."""
    starts: Ids
    """`[actions]`: where in `actions` each begins."""


def encode(turn: Turn, actions: Sequence[str], buckets: int) -> Encoded:
    """The features of a turn and of the actions to choose from.

    Args:
        turn: what an agent may know.
        actions: at least one.
        buckets: rows of the table.
    """
    scene = _Scene(turn, actions)
    rows = [_hashed(scene.of_action(action), buckets) for action in actions]
    starts = np.cumsum([0, *map(len, rows[:-1])])
    flat = np.fromiter((row for each in rows for row in each), dtype=np.int32)
    return Encoded(np.array(_hashed(scene.of_state(), buckets), dtype=np.int32), flat, starts.astype(np.int32))


def _hashed(features: Iterator[str], buckets: int) -> list[int]:
    """Rows of features: CRC-32 is the same in every process."""
    return [zlib.crc32(feature.encode()) % buckets for feature in features]


class _Scene:
    """A turn, read once for all its actions."""

    def __init__(self, turn: Turn, actions: Sequence[str]) -> None:
        self.turn, self.memory, self.roles = turn, Memory.of(turn), roles(turn.task)
        self.places = self.memory.here(self.roles)
        self.deeds = {name: frozenset(verb for verb, _ in deeds) for name, deeds in self.memory.deeds.items()}
        self.offered = sorted({self.form(action) for action in actions if self._in_role(action)})
        fresh: Counter[str] = Counter()
        self.turn_of_likes = {}
        for action in sorted(actions, key=_by_number):
            self.turn_of_likes[action] = min(fresh[likes(action)], 3)
            fresh[likes(action)] += not self.memory.done[action]

    def role(self, name: str) -> str:
        """The role of a name in the task, as text; ``"-"`` if it has none."""
        role = self.roles.get(word_of(name))
        return "-" if role is None else f"<{role}>"

    def form(self, action: str) -> str:
        """An action with roles in place of names."""
        verb, names = read_command(action)
        return " ".join((verb, *map(self.role, names)))

    def of_state(self) -> Iterator[str]:
        """Features of the situation."""
        yield "bias"
        for word in self.roles:
            yield f"t {word}"
        for form in self.offered:
            yield f"o {form}"
        for form in {self.form(" ".join((each.verb, *each.names))) for each in self.memory.commands}:
            yield f"p {form}"
        for back, each in enumerate(reversed(self.memory.commands[-3:])):
            yield f"l{back} {self.form(' '.join((each.verb, *each.names)))}"
        for thing, (verb, _) in self.memory.met.items():
            if word_of(thing) in self.roles:
                yield f"m {self.role(thing)} {verb} {self._past(thing)}"
        yield from self._of_observation()

    def _of_observation(self) -> Iterator[str]:
        text = self.turn.observation
        yield f"x {text}"
        for name in names_in(text):
            if word_of(name) in self.roles:
                yield f"s {self.role(name)}"
        cells = seen_from_player(text)
        for cell in cells:
            yield f"c {cell}"
        for word in () if cells else words_in(text)[:_WORDS]:
            yield f"w {word}"

    def of_action(self, action: str) -> Iterator[str]:
        """Features of an action."""
        verb, names = read_command(action)
        form, done = self.form(action), min(self.memory.done[action], 2)
        yield f"a {action}"
        yield f"f {form}"
        yield f"v {verb}"
        yield f"d {form} {done} {self._since(action)}"
        yield f"n {likes(action)} {self.turn_of_likes[action]}"
        yield f"r {form} {self.turn_of_likes[action]} {done}"
        for offered in self.offered:
            yield f"o {form} {offered}"
        for place, name in enumerate(names):
            yield from self._of_name(f"{verb}{place}", name)
        if len(names) <= 1:  # a move, not one of many things to be done with things
            yield from (f"c {action} {cell}" for cell in near_player(self.turn.observation))

    def _of_name(self, slot: str, name: str) -> Iterator[str]:
        word, role = word_of(name), self.role(name)
        yield f"w {slot} {word}"
        yield f"h {slot} {role} {self._past(name)}"
        for task_word in list(self.roles)[:_TASK_WORDS]:
            yield f"x {slot} {word} {task_word}"
        for verb in self.deeds.get(name, ()):
            yield f"g {slot} {role} {verb}"
        for thing in self.places.get(name, ()):
            yield f"i {slot} {role} {self.role(thing)} {self.memory.met[thing][0]} {self._past(thing)}"

    def _past(self, name: str) -> str:
        """What was done with a name, as one word, and what was last."""
        deeds = self.memory.deeds.get(name)
        return "+".join((*sorted(self.deeds[name]), deeds[-1][0])) if deeds else "new"

    def _since(self, action: str) -> int:
        """How long ago an action ran, in steps up to 3; 4 if longer, 0 if never."""
        return min(self.turn.index - self.memory.last[action], 4) if action in self.memory.last else 0

    def _in_role(self, action: str) -> bool:
        return any(word_of(name) in self.roles for name in read_command(action).names)


def _by_number(action: str) -> tuple[tuple[int, str], ...]:
    """Sorts "drawer 10" after "drawer 9"."""
    return tuple((len(word), word) if word.isdecimal() else (0, word) for word in action.split())
