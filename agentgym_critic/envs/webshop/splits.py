"""Which goals are for training, development and test: by product, so that no two splits share one.

A request that is worded alike in two splits stays in the one that measures. Goals that their own
product cannot fulfil are in none. Knows neither files nor databases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agentgym_critic.envs.webshop.goals import Goal, without_price

__all__ = ["SPLITS", "UNREACHABLE", "in_turn", "split_of", "without_repeats"]

SPLITS = ("test", "dev", "train")
"""By name, in the order in which they keep a request that several have: about 10, 10 and 80 per cent of products."""

UNREACHABLE = "unreachable"
"""The split of goals that their own product cannot fulfil."""


def split_of(asin: str) -> str:
    """The split of all goals of a product."""
    return SPLITS[min(_hash(asin) % 10, 2)]


def without_repeats(goals: Sequence[Goal]) -> list[Goal]:
    """The goals without those whose words another split has that keeps them."""
    kept: dict[str, int] = {}
    for goal in goals:
        words, rank = _words(goal), SPLITS.index(split_of(goal.asin))
        kept[words] = min(rank, kept.get(words, rank))
    return [goal for goal in goals if SPLITS.index(split_of(goal.asin)) == kept[_words(goal)]]


def in_turn(goals: Iterable[Goal]) -> Iterator[Goal]:
    """One goal of each product, then a second of each, and so on; otherwise in a fixed shuffled order."""
    shuffled = sorted(goals, key=lambda goal: (_hash(goal.asin), _hash(goal.id)))
    turns = [(turn, goal) for _, own in groupby(shuffled, key=lambda goal: goal.asin) for turn, goal in enumerate(own)]
    return (goal for _, goal in sorted(turns, key=lambda item: item[0]))


def _words(goal: Goal) -> str:
    return without_price(goal.instruction_text).strip().lower()


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
