"""`FrozenLakeEnv`: Gymnasium's FrozenLake in words, on its own maps, others, or one from the seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from gymnasium.envs.toy_text import frozen_lake as original

from agentgym_critic.envs.adapter import AdaptedEnv, StepLimit, copy_shallow, state_digest
from agentgym_critic.envs.ranges import probability, whole
from agentgym_critic.envs.toytext.grid import picture, place
from agentgym_critic.errors import ConfigError

__all__ = ["FrozenLakeEnv"]

ACTIONS = ("left", "down", "right", "up")
"""In Gymnasium's order."""

SMALLEST, LARGEST = 2, 20
"""Rows and columns of a random map."""

MOST_CELLS = LARGEST**2
"""Cells of a map of one's own: its oracle takes a second at most."""

TRIES = 200
"""Random maps tried when the environment is made; `MORE_TRIES` when an episode begins."""

MORE_TRIES = 20_000

_ENDINGS = {"H": "You have fallen into a hole. ", "G": "You have reached the goal. "}


class _Rules(NamedTuple):
    is_slippery: bool
    success_rate: float
    reward_schedule: tuple[float, ...]


class FrozenLakeEnv(AdaptedEnv):
    """Cross a frozen lake without falling into a hole, on ice that may carry you sideways.

    Rewards are Gymnasium's: 1 for reaching the goal, 0 for everything else, unless set otherwise.

    Args:
        map: ``"4x4"`` and ``"8x8"`` are Gymnasium's; ``"random"`` is another one for each seed; or the
            rows of one's own, of S (start), F (ice), H (hole) and G (goal).
        size: rows and columns of a random map, 2 to 20; None for 8.
        frozen_share: chance that a cell of a random map is ice, above 0; None for 0.8.
        is_slippery: whether a move may go sideways.
        success_rate: probability that on slippery ice a move goes where it should; the rest is
            shared by the two sides.
        reward_schedule: rewards of a step onto the goal, into a hole, onto ice.
        max_steps: steps until the episode is truncated; None for no limit, ``"own"`` for
            Gymnasium's: 100, and 200 on the map 8x8.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused, there is no way to the goal, or no random map has one.
    """

    def __init__(
        self,
        *,
        map: str | Sequence[str] = "4x4",
        size: int | None = None,
        frozen_share: float | None = None,
        is_slippery: bool = True,
        success_rate: float = 1 / 3,
        reward_schedule: Sequence[float] = (1, 0, 0),
        max_steps: StepLimit = "own",
        render_mode: str | None = None,
    ) -> None:
        probability("success_rate", success_rate)
        self._rules = _Rules(bool(is_slippery), success_rate, _three_numbers(reward_schedule))
        self._recipe = _recipe(map, size, frozen_share)
        rows = _random_rows(np.random.default_rng(0), *self._recipe, TRIES) if self._recipe else _known_rows(map)
        self._variant = f" with {self._rules._asdict()} and the map {self._recipe or rows}"
        super().__init__(
            self._build(rows),
            _describe,
            ACTIONS,
            task=_goal(self._rules),
            task_id=partial(_task_id, self._rules),
            success=_at_goal,
            state=_state,
            copy=copy_shallow,
            max_steps=(200 if map == "8x8" else 100) if max_steps == "own" else max_steps,
            render_mode=render_mode,
        )

    @property
    def single_task(self) -> bool:
        """Whether all seeds begin alike."""
        return self._recipe is None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        if self._recipe:
            self._env = self._build(_random_rows(rng, *self._recipe, MORE_TRIES))
        return super()._begin(rng, options)

    def _build(self, rows: Sequence[str]) -> original.FrozenLakeEnv:
        letters: Any = [list(row) for row in rows]  # a string of one letter would count as no row
        return original.FrozenLakeEnv(desc=letters, **self._rules._asdict())


def _describe(env: Any, cell: Any) -> str:
    rows = _rows(env)
    row, col = divmod(int(cell), env.ncol)
    return f"{_ENDINGS.get(rows[row][col], '')}You are at {place(row, col)}.\n{picture(rows, row, col)}"


def _goal(rules: _Rules) -> str:
    slide = (
        f"The ice is slippery: a move goes where you want with probability {rules.success_rate:.2f} and else to the "
        "left or right of that. "
    )
    return (
        "Cross the frozen lake from S to G without falling into a hole. You move left, down, right or up; a move "
        f"off the lake leaves you where you are. {slide if rules.is_slippery else ''}"
        "Symbols: S start, F ice, H hole, G goal, @ you."
    )


def _task_id(rules: _Rules, env: Any) -> str:
    return f"frozen-lake-{env.nrow}x{env.ncol}-{state_digest((_rows(env), rules))[:16]}"


def _at_goal(env: Any, cell: Any, reward: float) -> bool:
    return bool(env.desc.flat[int(cell)] == b"G")


def _state(env: Any) -> object:
    return env.ncol, env.desc.tobytes(), int(env.s)


def _rows(env: Any) -> list[str]:
    return ["".join(row) for row in env.desc.astype(str)]


def _three_numbers(numbers: Sequence[float]) -> tuple[float, ...]:
    if (
        isinstance(numbers, Sequence)
        and len(numbers) == 3
        and all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    ):
        return tuple(numbers)
    raise ConfigError(f"reward_schedule is three finite numbers: for goal, hole and ice; got {numbers!r}")


def _recipe(map: object, size: int | None, frozen_share: float | None) -> tuple[int, float] | None:
    """Size and share of ice of a random map; None for any other map."""
    if map != "random":
        if size is not None or frozen_share is not None:
            raise ConfigError(f"size and frozen_share make a random map, but map is {map!r}; leave them out")
        return None
    rows = whole("size", 8 if size is None else size, SMALLEST, LARGEST)
    return rows, probability("frozen_share", 0.8 if frozen_share is None else frozen_share)


def _known_rows(map: object) -> list[str]:
    if isinstance(map, str) or not isinstance(map, Sequence):
        if isinstance(map, str) and map in original.MAPS:
            return list(original.MAPS[map])
        raise ConfigError(f"map is one of {[*original.MAPS, 'random']}, or a list of rows; got {map!r}")
    rows = list(map)
    if not rows or not all(isinstance(row, str) and row and len(row) == len(rows[0]) for row in rows):
        raise ConfigError(f"the rows of a map are strings of the same length, got {rows!r}")
    if odd := set("".join(rows)) - set("SFHG"):
        raise ConfigError(f"a map is made of S, F, H and G, got {sorted(odd)}")
    if len(rows) * len(rows[0]) > MOST_CELLS or "".join(rows).count("S") != 1:
        raise ConfigError(
            f"a map has one S and at most {MOST_CELLS} cells; got {''.join(rows).count('S')} S in "
            f"{len(rows)} x {len(rows[0])} cells"
        )
    if not _has_way(rows):
        raise ConfigError("no way leads from S to a G of the map; open one")
    return rows


def _random_rows(rng: np.random.Generator, size: int, share: float, tries: int) -> list[str]:
    """A random map with S and G in opposite corners and a way between them."""
    for _ in range(tries):
        ice = rng.random((size, size)) < share
        letters = np.where(ice, "F", "H")
        letters[0, 0], letters[-1, -1] = "S", "G"
        rows = ["".join(row) for row in letters]
        if _has_way(rows):
            return rows
    raise ConfigError(
        f"none of {tries} random maps of size={size} and frozen_share={share} has a way from S to G; "
        "raise frozen_share or lower size"
    )


def _has_way(rows: Sequence[str]) -> bool:
    cells = {(row, col): tile for row, line in enumerate(rows) for col, tile in enumerate(line) if tile != "H"}
    waiting = [cell for cell, tile in cells.items() if tile == "S"]
    while waiting:
        row, col = waiting.pop()
        tile = cells.pop((row, col), "")
        if tile == "G":
            return True
        if tile:
            waiting += [(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)]
    return False
