"""Where documents and questions come from: a file, or a generated world. Refuses settings that do not fit."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentgym_critic.envs.ranges import is_whole, whole
from agentgym_critic.envs.search.files import read_library
from agentgym_critic.envs.search.library import Library, Question
from agentgym_critic.envs.search.world import MAX_HOPS, SIZES, make_world
from agentgym_critic.errors import ConfigError, abridged

__all__ = ["by_hops", "find_library"]


def find_library(
    path: str | os.PathLike[str] | None, corpus_seed: int | None, size: int | None, hops: Sequence[int] | None
) -> Library:
    """The library that the settings of `SearchEnv` name.

    Raises:
        ConfigError: a setting, or a line of the file, is refused.
        MissingDataError: there is no such file.
    """
    if path is not None:
        if (corpus_seed, size, hops) != (None, None, None):
            raise ConfigError("corpus_seed, size and hops are of generated worlds; leave them out with path")
        return read_library(path)
    seed, size = whole("corpus_seed", 0 if corpus_seed is None else corpus_seed, 0), 100 if size is None else size
    fewest, most = _hops(hops)
    if not is_whole(size) or size not in SIZES:
        raise ConfigError(f"size is from {SIZES[0]} to {SIZES[-1]} documents, got {abridged(size)}")
    world = make_world(seed, size)
    asked = tuple(each for each in world.questions if fewest <= len(each.support) <= most)
    return world._replace(questions=asked)


def _hops(hops: Sequence[int] | None) -> tuple[int, int]:
    pair = (2, MAX_HOPS) if hops is None else hops
    if (
        isinstance(pair, str)
        or not isinstance(pair, Sequence)
        or len(pair) != 2
        or not all(map(is_whole, pair))
        or not 2 <= pair[0] <= pair[1] <= MAX_HOPS
    ):
        raise ConfigError(f"hops is the fewest and the most, from 2 to {MAX_HOPS}; got {abridged(hops)}")
    return pair[0], pair[1]


def by_hops(questions: Sequence[Question]) -> list[list[Question]]:
    """The questions by how many documents they stand on, the fewest first."""
    groups: dict[int, list[Question]] = {}
    for question in questions:
        groups.setdefault(len(question.support), []).append(question)
    return [groups[hops] for hops in sorted(groups)]
