"""A critic without a model: what the history of the episode already proves about an action.

It compares texts and understands none. Where no rule applies it is undecided (p = 0.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentgym_critic.critics.signs import nothing_happened
from agentgym_critic.errors import OutOfRangeError
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["OPPOSITES", "RuleCritic"]

OPPOSITES = (
    ("left", "right"),
    ("up", "down"),
    ("north", "south"),
    ("east", "west"),
    ("open", "close"),
    ("lock", "unlock"),
)
"""Words that turn an action into the one that undoes it."""


class _Try(NamedTuple):
    """What an action led to when it was last tried in the same situation."""

    step: int
    """Number of the step, from 1."""
    changed: bool
    then: str
    """What was seen after it."""


class RuleCritic:
    """Judges by the first of these rules that applies; each probability is a setting.

    The first two rules are certain, the others are not: they suit a player that means what it does.
    One that moves at random undoes bad moves as often as good ones (in Sokoban half of such moves
    turned out productive). The settings are priors chosen by hand, not measured ones.

    Args:
        not_admissible: the action is empty or not among the legal ones.
        failed_here: in this same situation it was already refused or changed nothing.
        known_undo: in this same situation it already led back to what was seen before the last action.
        repeated: it was already tried in this same situation, and yet the player is here again.
        opposite: it is the last action with one word turned into its opposite (`OPPOSITES`).
        otherwise: no rule applies.
    """

    id = "rules"
    recall_k = 0

    def __init__(
        self,
        *,
        not_admissible: float = 0.02,
        failed_here: float = 0.05,
        known_undo: float = 0.25,
        repeated: float = 0.3,
        opposite: float = 0.4,
        otherwise: float = 0.5,
    ) -> None:
        self._p = {
            "not_admissible": not_admissible,
            "failed_here": failed_here,
            "known_undo": known_undo,
            "repeated": repeated,
            "opposite": opposite,
            "otherwise": otherwise,
        }
        for name, p in self._p.items():
            if not 0.0 <= p <= 1.0:
                raise OutOfRangeError(f"{name} is a probability in [0, 1], got {p!r}")
        self.version = f"1:{fingerprint(self._p, OPPOSITES)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action."""
        tries = _tries(turn)
        return [self._verdict(*self._rule(turn, action.text, tries)) for action in actions]

    def _rule(self, turn: Turn, action: str, tries: dict[str, _Try]) -> tuple[str, str]:
        """The rule that applies, and why."""
        if not action.strip():
            return "not_admissible", "The action is empty."
        if turn.admissible_actions is not None and action not in turn.admissible_actions:
            return "not_admissible", f"{action!r} is not among the possible actions."
        if tried := tries.get(action):
            return _rule_of_retry(turn, action, tried)
        if turn.history and _undoes(turn, action, tries):
            return "opposite", f"{action!r} undoes {turn.history[-1].action!r}, the last action."
        return "otherwise", ""

    def _verdict(self, rule: str, why: str) -> Verdict:
        return Verdict(p=self._p[rule], critic=self.id, version=self.version, critique=why)


def _rule_of_retry(turn: Turn, action: str, tried: _Try) -> tuple[str, str]:
    if not tried.changed:
        return "failed_here", f"{action!r} already did nothing in this situation, at step {tried.step}."
    if turn.history and tried.then == turn.history[-1].observation:
        return "known_undo", f"{action!r} leads back to where the last action started, as at step {tried.step}."
    return "repeated", f"{action!r} was already tried in this situation, at step {tried.step}."


def _tries(turn: Turn) -> dict[str, _Try]:
    """What was tried in the present situation: by action, the last try of each.

    A situation is what was last seen that was no answer to an action that did nothing, so a
    refusal ("Nothing happens.") does not hide that the player is still where they were.
    """
    situations: list[str] = []
    changed: list[bool] = []
    seen = [past.observation for past in turn.history] + [turn.observation]
    situation = seen[0]
    for past, then in zip(turn.history, seen[1:], strict=True):
        situations.append(situation)
        changed.append(not past.invalid_reason and then != situation and not nothing_happened(then))
        if changed[-1]:
            situation = then
    return {
        past.action: _Try(index + 1, changed[index], seen[index + 1])
        for index, past in enumerate(turn.history)
        if situations[index] == situation
    }


def _undoes(turn: Turn, action: str, tries: dict[str, _Try]) -> bool:
    """Whether `action` is the last action with one word turned into its opposite, and that one did something."""
    last = turn.history[-1].action
    if last in tries and tries[last].step == len(turn.history):
        return False  # tried in this very situation just now: it did nothing
    before, after = last.split(), action.split()
    turned = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
    if len(before) != len(after) or len(turned) != 1:
        return False
    return turned[0] in OPPOSITES or turned[0][::-1] in OPPOSITES
