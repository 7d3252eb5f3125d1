"""`Game2048Env`: the game as a text environment. Moves, tiles, search and words are elsewhere in this folder."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.game2048.board import Lines, lines_of
from agentgym_critic.envs.game2048.expectimax import ActionValues, Expectimax
from agentgym_critic.envs.game2048.rollouts import Estimate, Start, mean_return, play_out, success_rate
from agentgym_critic.envs.game2048.tiles import with_new_tile
from agentgym_critic.envs.game2048.words import Picture, goal, refusal
from agentgym_critic.envs.ranges import amount, whole
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["Game2048Env"]


class _World(NamedTuple):
    """All there is to a moment of a game."""

    board: bytes
    score: int
    tiles: int
    """Tiles that chance has added."""
    key: int
    """Decides all tiles to come."""


class Game2048Env(TextEnv):
    """Slide and merge tiles until one shows the target.

    The observation is the score and the board; the task explains the rules. The reward is 1 for
    the step that makes the target and 0 otherwise, unless `merge_reward` adds to it. The game
    ends with the target, without success where no move is left, or at the step limit.

    Args:
        size: rows and columns, from 2 to 8.
        target: the tile to make: `base` doubled at least twice, and possible on the board.
        base: the smallest tile; 3 with a target of 3072 is the same game in other numbers.
        merge_reward: added to the reward for every point of score.
        depth: moves of the player that the oracle looks ahead, from 1 to 6; None, which a board of
            2 x 2 allows, looks to the end of the game.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        *,
        size: int = 4,
        target: int = 2048,
        base: int = 2,
        merge_reward: float = 0.0,
        depth: int | None = 1,
        max_steps: int | None = 1500,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        self.size, self.base = whole("size", size, 2, 8), whole("base", base, 1, 1000)
        self.target, self.merge_reward = target, amount("merge_reward", merge_reward)
        self._goal = _level(target, base, size)
        self.depth = _checked_depth(depth, size)
        self._picture = Picture(base, size, width=max(4, len(str(target))))
        self._goal_text = goal(base, target)
        self._world: _World | None = None
        self._lines = Lines()
        self._legal: list[str] = []
        self._task_prefix = f"{size}x{size}-{target}-"

    @property
    def board(self) -> list[list[int]]:
        """The numbers on the tiles, row by row; 0 for an empty cell.

        Raises:
            EnvError: no game has been started.
        """
        numbers = [self.base << level - 1 if level else 0 for level in self._here.board]
        return [numbers[start : start + self.size] for start in range(0, len(numbers), self.size)]

    @property
    def score(self) -> int:
        """The sum of all tiles that arose by merging."""
        return self._here.score

    # ------------------------------------------------------------------ Privileged

    def oracle(self) -> Oracle | None:
        """The best moves by expectimax, what they are worth, and the fewest steps that could do.

        Nothing is certain, since chance adds the tiles; those to come are not looked at. The value
        is the chance to make the target where the search is exact, else an order of boards. None
        where the game is lost.
        """
        if self._goal in self._here.board:
            return Oracle(actions=(), steps_left=0, certain=False, value=1.0)
        found = self.action_values()
        if not found.values:
            return None
        return Oracle(
            actions=found.best,
            steps_left=self._fewest_steps(),
            exact=found.exact,
            certain=False,
            value=max(found.values.values()),
        )

    def action_values(self, depth: int | None = 0) -> ActionValues:
        """What each legal action is worth by expectimax.

        Args:
            depth: as the setting of that name, for this call; 0 takes the setting.

        Raises:
            ConfigError: such a depth is refused.
            EnvError: no game has been started.
        """
        chosen = self.depth if depth == 0 else _checked_depth(depth, self.size)
        board = self._here.board
        if self._goal in board:
            return ActionValues({}, exact=True)
        return Expectimax(self.size, self._goal, chosen).values(board)

    def monte_carlo_values(
        self,
        *,
        measure: Literal["score", "success"] = "score",
        rollouts: int = 200,
        horizon: int = 1000,
        discount: float = 0.9,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> dict[str, Estimate]:
        """For each legal action what random play after it leads to.

        Args:
            measure: ``"score"``: the discounted sum of the points still made; ``"success"``: the
                chance to make the target.
            rollouts: random games an action, at least 2.
            horizon: moves of a random game, at most.
            discount: factor of the points for each move that they lie ahead, in (0, 1].
            confidence: of the intervals, in (0, 1).
            seed: the same seed gives the same values.

        Raises:
            ConfigError: an argument is out of its range.
            EnvError: no game has been started.
        """
        _check_rollouts(measure, rollouts, horizon, discount, confidence)
        start = Start(self._here.board, self.size, self._goal)
        games = {
            action: play_out(start, action, rollouts, horizon=horizon, discount=discount, seed=seed)
            for action in ([] if self._goal in start.board else self._legal)
        }
        if measure == "success":
            return {action: success_rate(each, confidence) for action, each in games.items()}
        return {action: mean_return(each, confidence, unit=self.base / 2) for action, each in games.items()}

    # ------------------------------------------------------------------ What the base class asks

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        key = int(rng.integers(2**64, dtype=np.uint64))
        board = with_new_tile(with_new_tile(bytes(self.size**2), key, 0), key, 1)
        self._set_world(_World(board, 0, 2, key))
        return self._view()

    def _act(self, action: str) -> Outcome:
        board, score, tiles, key = self._here
        board, merged = self._lines.moved(action)
        gained = merged * self.base // 2
        won = self._goal in board
        self._set_world(_World(with_new_tile(board, key, tiles), score + gained, tiles + 1, key))
        return Outcome(self._view(), won + gained * self.merge_reward, won or not self._legal, won)

    def _admissible(self) -> list[str]:
        return self._legal.copy()

    def _refusal(self, action: str) -> str:
        return "" if action in self._legal else refusal(action, self._legal)

    def _view(self) -> str:
        here = self._here
        return f"Score {here.score}\n{self._picture.draw(here.board)}"

    def _kind(self) -> str:
        return f"{super()._kind()} of {self.size} x {self.size}"

    def _get_world(self) -> _World:
        return self._here

    def _set_world(self, world: _World) -> None:
        self._world, self._lines = world, lines_of(world.board, self.size)
        self._legal = self._lines.legal()

    def _state_key(self) -> str:
        board, score, tiles, key = self._here
        return f"{key:x}:{tiles}:{score}:{board.hex()}"

    def _task(self) -> tuple[str, str]:
        return f"{self._task_prefix}{self._here.key:016x}", self._goal_text

    def _fewest_steps(self) -> int:
        """Steps to the target if every new tile were the larger one and all fell into place."""
        missing = self.target - sum(map(sum, self.board))
        return 1 + max(0, -(-missing // (2 * self.base)))

    @property
    def _here(self) -> _World:
        if self._world is None:
            raise EnvError("no game is played; call reset() first", repr(self))
        return self._world


def _level(target: object, base: int, size: int) -> int:
    """The level of the tile of this number."""
    levels = {base << level - 1: level for level in range(3, size * size + 2)}
    if isinstance(target, int) and target in levels:
        return levels[target]
    raise ConfigError(
        f"target is {base} doubled at least twice: from {4 * base} to {max(levels)} on a board of {size} x {size}, "
        f"for example {base << min(6, size * size)}; got {target!r}"
    )


def _checked_depth(depth: int | None, size: int) -> int | None:
    if depth is None and size > 2:
        raise ConfigError(f"depth=None looks to the end of the game, which only a size of 2 allows; got size={size}")
    if depth is not None:
        whole("depth", depth, 1, 6)
    return depth


def _check_rollouts(measure: object, rollouts: int, horizon: int, discount: float, confidence: float) -> None:
    if measure not in ("score", "success"):
        raise ConfigError(f"measure is 'score' or 'success', got {measure!r}")
    whole("rollouts", rollouts, 2, 10_000_000)
    whole("horizon", horizon, 1, 10_000_000)
    if not 0 < discount <= 1:
        raise ConfigError(f"discount is above 0 and at most 1, got {discount!r}")
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence is between 0 and 1, got {confidence!r}")
