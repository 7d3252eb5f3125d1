"""`TextWorldEnv`: games of textworld's four challenges, one per seed, or from files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.plan import Plan
from agentgym_critic.envs.textworld.challenges import challenge_of
from agentgym_critic.envs.textworld.files import find_games, story_of
from agentgym_critic.envs.textworld.games import GENERATOR, game_file, textworld_version
from agentgym_critic.envs.textworld.session import Session
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle

__all__ = ["TextWorldEnv"]


class TextWorldEnv(TextEnv):
    """Games that the package textworld generates from a seed, or that it made before.

    The first episode of a seed generates and compiles its game (seconds, and 0.5 MB in the
    cache). The reward of a step is the points it gains; a won game has given `max_score`
    points in all. Losing the game ends the episode without success.

    Args:
        challenge: ``"tw-simple"``, ``"tw-cooking"``, ``"tw-coin_collector"`` or ``"tw-treasure_hunter"``;
            None for the first, unless `path` is given.
        params: parameters of the challenge, see `challenges`; the rest have small defaults.
        games: number of different games: seed ``s`` plays game ``s`` modulo `games`. None makes
            every seed a game of its own.
        path: a folder of games, or one: ``.json`` with or without its ``.z8`` or ``.ulx``. Seed ``s``
            plays game ``s`` modulo their number, sorted by name; nothing is generated.
        cache: folder for generated games; None for the user's cache folder.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        UnknownIdError: no such challenge.
        ConfigError: a setting is refused, or `path` holds no whole games.
        MissingDataError: there is no such `path`.
        MissingExtraError: textworld is not installed.
    """

    def __init__(
        self,
        challenge: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        games: int | None = None,
        path: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        if games is not None and games < 1:
            raise ConfigError(f"games is at least 1, or None for a game per seed; got {games}")
        if path is not None and (challenge, params, games) != (None, None, None):
            raise ConfigError("path names games that exist; leave out challenge, params and games, which make new ones")
        self.challenge = challenge or "tw-simple"
        self.params = challenge_of(self.challenge, params)
        self.files = find_games(path) if path is not None else ()
        self.games = len(self.files) or games
        self.cache = cache
        self._session = Session()
        self._game_seed: int | None = None
        self._plan: Plan | None = None
        self._planned = False
        self.env_version = f"textworld {textworld_version()}, generator {GENERATOR}"

    @property
    def max_score(self) -> int:
        """The points that winning this game takes."""
        self._playing()
        return self._session.max_score

    def oracle(self) -> Oracle | None:
        """The next command of a way to win, or None where textworld knows none.

        textworld's own policy, or the game's walkthrough, told only if its logic confirms
        that it wins from here; not always the shortest way.
        """
        if self._success:
            return Oracle(actions=(), steps_left=0)
        if not self._planned and self._running:
            self._plan, self._planned = self._session.plan(), True
        return self._plan.oracle() if self._plan else None

    def close(self) -> None:
        """Release the game's interpreter."""
        self._running, self._game_seed = False, None
        self._session.close()

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self._game_seed = self.episode_seed % self.games if self.games else self.episode_seed
        if self.files:
            story = story_of(self.files[self._game_seed], self.cache)
        else:
            story = game_file(self.challenge, self.params, self._game_seed, self.cache)
        self._plan, self._planned = None, False
        return self._session.start(story)

    def _act(self, action: str) -> Outcome:
        before = self._session.score
        text = self._session.act(action)
        self._plan = self._plan.after(action) if self._plan else None
        self._planned = self._plan is not None
        won, lost = self._session.won, self._session.lost
        return Outcome(text, float(self._session.score - before), terminated=won or lost, success=won)

    def _admissible(self) -> list[str]:
        return self._session.admissible

    def _refused(self, action: str, reason: str) -> str:
        return reason

    def _get_world(self) -> Any:
        return self._playing(), self._session.save(), self._plan, self._planned

    def _set_world(self, world: Any) -> None:
        seed, saved, plan, planned = world
        if seed != self._playing():
            raise EnvError(f"the snapshot is of game {seed}, but game {self._playing()} is played", repr(self))
        self._session.restore(saved)
        self._plan, self._planned = plan, planned

    def _state_key(self) -> str:
        return self._session.key()

    def _task(self) -> tuple[str, str]:
        seed = self._playing()
        return self.files[seed].name if self.files else f"{self.challenge}-{seed}", self._session.objective

    def _playing(self) -> int:
        if self._game_seed is None:
            raise EnvError("no game is played; call reset() first", repr(self))
        return self._game_seed
