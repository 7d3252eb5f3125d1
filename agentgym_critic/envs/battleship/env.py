"""`BattleshipEnv`: the game as a text environment. Placing, believing and words are elsewhere in this folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.battleship.belief import Answer, Belief, Sight, believe, likeliest
from agentgym_critic.envs.battleship.waters import Waters, draw_fleet, lengths
from agentgym_critic.envs.battleship.words import cell_names, goal, picture, refusal, regions
from agentgym_critic.envs.ranges import amount, is_whole, whole
from agentgym_critic.errors import ConfigError, EnvError, abridged
from agentgym_critic.types import Oracle

__all__ = ["BattleshipEnv"]

MAX_QUESTIONS = 200


class _Hidden(NamedTuple):
    """What the player does not know."""

    ships: tuple[int, ...]
    """The cells of each ship."""
    lies: tuple[bool, ...]
    """For each question whether its answer will be wrong."""


class _Moment(NamedTuple):
    """All that changes during an episode."""

    sight: Sight
    asked: tuple[str, ...]
    """The regions asked about."""

    @property
    def shots(self) -> int:
        """Shots fired."""
        return self.sight.shot.bit_count()


class BattleshipEnv(TextEnv):
    """Sink a hidden fleet with few shots; questions about regions are answered, sometimes wrongly.

    The reward is 1 for the shot that sinks the last ship and 0 otherwise, unless `hit_reward` adds to
    it. The episode ends without success when the shots are used up. `info` has besides ``f1``, which is
    the harmonic mean of the share of shots that hit and the share of ship cells that are hit.

    Args:
        rows: rows of the board.
        cols: columns of the board; at most 64 cells in all.
        fleet: lengths of the ships, up to six, which take at most half of the board.
        shots: how many may be fired.
        questions: how many may be asked.
        noise: chance that an answer is wrong, below a half.
        hit_reward: added to the reward of a shot that hits.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    episode_options = frozenset({"board"})

    def __init__(
        self,
        *,
        rows: int = 8,
        cols: int = 8,
        fleet: Sequence[int] = (5, 4, 3, 2),
        shots: int = 40,
        questions: int = 0,
        noise: float = 0.1,
        hit_reward: float = 0.0,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        if not isinstance(fleet, Sequence) or not all(isinstance(length, int) for length in fleet):
            raise ConfigError(f"fleet is the lengths of the ships, e.g. [5, 4, 3, 2]; got {fleet!r}")
        self.waters = Waters(rows, cols, lengths(fleet))
        self.waters.check()
        if not is_whole(shots) or not sum(self.waters.fleet) <= shots <= rows * cols:
            raise ConfigError(
                f"shots is from {sum(self.waters.fleet)}, the cells of the fleet, to {rows * cols}, those of the "
                f"board; got {abridged(shots)}"
            )
        if not isinstance(noise, int | float) or not 0 <= noise < 0.5:
            raise ConfigError(f"noise is a chance from 0, below 0.5; got {abridged(noise)}")
        self.shots, self.questions = shots, whole("questions", questions, 0, MAX_QUESTIONS)
        self.noise, self.hit_reward = noise, amount("hit_reward", hit_reward)
        self._names = cell_names(rows, cols)
        self._goal = goal(self.waters, shots, questions, noise)
        self._hidden: _Hidden | None = None
        self._now = _Moment(Sight(rows, cols, self.waters.fleet, 0, 0, 0, noise=noise), ())

    @property
    def sight(self) -> Sight:
        """All that the player knows of the board. Public."""
        return self._now.sight

    def posterior(self) -> Belief:
        """How likely each cell holds a ship. Public: it follows from the rules and from what was shown."""
        return believe(self._now.sight)

    def oracle(self) -> Oracle | None:
        """The shots with the highest posterior chance to hit; None once the game is lost.

        Neither exact, for the likeliest shot is not always the best, nor certain: `steps_left` is the cells still
        to be hit, which is the fewest steps there are, and `value` is the chance that such a shot hits.
        """
        self._playing()
        sight = self._now.sight
        if not sight.afloat:
            return Oracle(actions=(), steps_left=0)
        left = sum(sight.afloat) - sight.hit.bit_count()
        if not self._running or self.shots - self._now.shots < left:
            return None
        best = likeliest(sight)
        chance = float(believe(sight).chances.reshape(-1)[best[0]])
        actions = tuple(f"fire {self._names[cell]}" for cell in best)
        return Oracle(actions=actions, steps_left=left, exact=False, certain=False, value=chance)

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        whole("the option board", options.get("board", 0), 0)

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        ships = draw_fleet(np.random.default_rng(options["board"]) if "board" in options else rng, self.waters)
        self._hidden = _Hidden(ships, tuple((rng.random(self.questions) < self.noise).tolist()))
        self._now = _Moment(Sight(self.waters.rows, self.waters.cols, self.waters.fleet, 0, 0, 0, noise=self.noise), ())
        return self._view()

    def _act(self, action: str) -> Outcome:
        verb, _, what = action.partition(" ")
        return self._fire(what) if verb == "fire" else self._ask(what)

    def _fire(self, name: str) -> Outcome:
        ships, cell = self._playing().ships, self._names.index(name)
        before = self._now.sight
        self._now = self._now._replace(sight=before.after_shot(cell, ships))
        sight = self._now.sight
        struck = not sight.missed >> cell & 1
        text = f"{name}: {'hit' if struck else 'water'}."
        if len(sight.afloat) < len(before.afloat):
            sunk = (sight.sunk & ~before.sunk).bit_count()
            text += f" A ship of {sunk} cell{'s' * (sunk > 1)} is sunk."
        won = not sight.afloat
        lost = not won and self._now.shots >= self.shots
        text += " All ships are sunk." * won + " There are no shots left." * lost
        return Outcome(f"{text}\n\n{self._view()}", won + struck * self.hit_reward, won or lost, won)

    def _ask(self, what: str) -> Outcome:
        hidden, sight = self._playing(), self._now.sight
        region = regions(sight.rows, sight.cols)[what] & ~sight.shot
        yes = any(ship & region for ship in hidden.ships) != hidden.lies[len(sight.answers)]
        asked = sight._replace(answers=(*sight.answers, Answer(region, yes)))
        self._now = _Moment(asked, (*self._now.asked, what))
        return Outcome(f"A ship in {what}? {'Yes' if yes else 'No'}.\n\n{self._view()}")

    def _admissible(self) -> list[str]:
        sight = self._now.sight
        open_cells = ~sight.shot
        shots = [f"fire {name}" for cell, name in enumerate(self._names) if open_cells >> cell & 1]
        if len(sight.answers) >= self.questions:
            return shots
        known = regions(sight.rows, sight.cols)
        return shots + [f"ask {what}" for what, region in known.items() if region & open_cells]

    def _refusal(self, action: str) -> str:
        if action in self._admissible():
            return ""
        return refusal(action, self._now.sight, self.questions - len(self._now.sight.answers))

    def _view(self) -> str:
        sight = self._now.sight
        afloat = ", ".join(map(str, sight.afloat)) or "none"
        lines = [picture(sight), "", f"Shots left: {self.shots - self._now.shots}. Ships afloat: {afloat}."]
        if self.questions:
            said = zip(self._now.asked, sight.answers, strict=True)
            told = ", ".join(f"{what} {'yes' if answer.yes else 'no'}" for what, answer in said) or "none"
            lines.append(f"Questions left: {self.questions - len(sight.answers)}. Answers so far: {told}.")
        return "\n".join(lines)

    def _kind(self) -> str:
        settings = {**self.waters._asdict(), "shots": self.shots, "questions": self.questions, "noise": self.noise}
        return f"{super()._kind()} with {settings}"

    def _get_world(self) -> Any:
        return self._playing(), self._now

    def _set_world(self, world: Any) -> None:
        self._hidden, self._now = world

    def _state_key(self) -> str:
        return hashlib.blake2b(repr((self._hidden, self._now)).encode(), digest_size=8).hexdigest()

    def _task(self) -> tuple[str, str]:
        board = hashlib.blake2b(repr((self.waters, self._playing().ships)).encode(), digest_size=8).hexdigest()
        return f"{self.waters.rows}x{self.waters.cols}-{board}", self._goal

    def _info(self) -> dict[str, Any]:
        sight = self._now.sight
        hits = (sight.hit | sight.sunk).bit_count()
        return super()._info() | {"f1": 2 * hits / (self._now.shots + sum(self.waters.fleet))}

    def _playing(self) -> _Hidden:
        if self._hidden is None:
            raise EnvError("no board is played; call reset() first", repr(self))
        return self._hidden
