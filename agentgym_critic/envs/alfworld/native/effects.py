"""What an action with its objects does to a state, as masks.

As the reference does, an effect that the action's own condition already grants is left out, what
is both added and deleted counts as added, and an action left without effects does not exist:
one cannot go to where one is. A deleted fact is noted as false where the texts read such notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.fluents import union
from agentgym_critic.envs.alfworld.native.ground import ALWAYS, Binding, Condition, Grounder
from agentgym_critic.envs.alfworld.native.schemas import Change

__all__ = ["NOTE", "Effect", "effects"]

NOTE = "not_"
"""Before a predicate's name: the facts that an action has made false."""


class Effect(NamedTuple):
    """What changes where a condition holds in the state before."""

    condition: Condition
    clear: int
    set: int


class _Flip(NamedTuple):
    """One fact that becomes true or false."""

    positive: bool
    fact: int
    note: int
    """The bit that notes the fact as false; 0 if no text reads it."""
    condition: Condition


def effects(changes: Iterable[Change], binding: Binding, given: Condition, grounder: Grounder) -> list[Effect]:
    """The effects of an action, the unconditional first; empty if it changes nothing.

    Args:
        changes: of the action.
        binding: its objects.
        given: when it is possible.
        grounder: of the game.
    """
    flips = [flip for change in changes for flip in _flips(change, binding, given, grounder)]
    added = union(flip.fact for flip in flips if flip.positive and flip.condition == ALWAYS)
    masks: dict[Condition, list[int]] = {}
    for flip in flips:
        if flip.fact & (given.need if flip.positive else given.forbid | added):
            continue
        clear_and_set = masks.setdefault(flip.condition, [0, 0])
        clear_and_set[flip.positive] |= flip.fact
        clear_and_set[not flip.positive] |= flip.note
    return [
        Effect(condition, clear & ~new, new)
        for condition, (clear, new) in sorted(masks.items(), key=lambda item: item[0] != ALWAYS)
    ]


def _flips(change: Change, binding: Binding, given: Condition, grounder: Grounder) -> Iterator[_Flip]:
    fluents = grounder.facts.fluents
    fluent, noted = fluents[change.atom.predicate], fluents.get(NOTE + change.atom.predicate)
    if change.unconditional:
        ways: Iterable[tuple[Binding, Condition]] = [(binding, ALWAYS)]
    else:
        ways = grounder.conditions(change.condition, binding)
    for full, condition in ways:
        if condition.need & given.forbid or condition.forbid & given.need:
            continue
        arguments = grounder.arguments(change.atom.arguments, full)
        if fact := fluent.fact(arguments):
            rest = Condition(condition.need & ~given.need, condition.forbid & ~given.forbid)
            yield _Flip(change.positive, fact, noted.fact(arguments) if noted else 0, rest)
