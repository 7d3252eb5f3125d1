"""`JerichoEnv`: a story file, played through the package jericho."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.jericho.probe import try_out
from agentgym_critic.envs.jericho.story import read_story
from agentgym_critic.envs.jericho.words import refusal
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, require
from agentgym_critic.quiet import no_warnings
from agentgym_critic.types import Oracle

__all__ = ["JerichoEnv"]

_ALWAYS = ("inventory", "look", "wait")
"""Commands that every story takes and jericho lists nowhere, since they change nothing."""

_STATUS_LINE = re.compile(r"\n>[^\n]*\Z")
"""Prompt and status line behind the text, which jericho leaves there in stories that it does not know."""


class JerichoEnv(TextEnv):
    """Interactive fiction: a Z-machine story file that you have, through the package jericho.

    For stories that jericho knows, the reward of a step is the points it gains, and success is the
    story's good end. Of others it knows neither, so that their episodes end at the step limit.

    Args:
        story: path of a ``.z3``, ``.z4``, ``.z5`` or ``.z8`` file; None for ``$JERICHO_STORY``.
        list_actions: list jericho's valid actions, and take nothing else but looking, waiting and the
            inventory. Only for stories that it knows. False takes every command whose words the story knows.
        walkthrough: commands that solve the story; None for jericho's, if it has one.
        story_seed: of the story's own random numbers. None draws one from each episode's seed;
            ``"walkthrough"`` is that of jericho's walkthrough.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        MissingDataError: there is no such file, or none was named.
        ConfigError: the file is damaged or of another kind, or a setting does not fit it.
        MissingExtraError: jericho is not installed.
    """

    def __init__(
        self,
        story: str | os.PathLike[str] | None = None,
        *,
        list_actions: bool = False,
        walkthrough: Sequence[str] | None = None,
        story_seed: int | Literal["walkthrough"] | None = None,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        self._jericho = require("jericho", "jericho", "Jericho")
        if not (path := story or os.environ.get("JERICHO_STORY")):
            raise MissingDataError(
                "Jericho plays a story file that you have, and none comes with this package: name it with story=PATH "
                "or in $JERICHO_STORY (a Z-machine file, .z3, .z4, .z5 or .z8)"
            )
        self.story = read_story(path)
        try_out(self.story.path)
        self.list_actions = list_actions
        self.story_seed = story_seed
        self.env_version = f"jericho {_package_version()}"
        self._frotz: Any = None
        self._listed: list[str] | None = None
        self._key = ""
        self._score = 0
        self._start: Any = None
        self._ways: MappingProxyType[str, tuple[str, ...]] | None = None
        self._settle(walkthrough)

    @property
    def max_score(self) -> int:
        """The points there are to gain; 0 if jericho does not know."""
        return int(self._open().get_max_score())

    def world_key(self) -> str:
        """Jericho's own hash of the objects alone: clock, random numbers and input are left out."""
        return str(self._open().get_world_state_hash())

    def oracle(self) -> Oracle | None:
        """The rest of the walkthrough, from any state on it; None elsewhere, and where it does not succeed."""
        if self._success:
            return Oracle(actions=(), steps_left=0)
        if not self._running or not self.walkthrough:
            return None
        if self._ways is None:
            self._ways = self._walk()
        way = self._ways.get(self._key)
        return Oracle(actions=way[:1], steps_left=len(way), exact=False) if way else None

    def close(self) -> None:
        """Release the interpreter."""
        self._running = False
        if self._frotz is not None:
            self._frotz.close()
            self._frotz = None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        frotz = self._open()
        frotz.seed(self._story_seed(rng))
        text, told = frotz.reset()
        self._score = int(told["score"])
        self._start, self._ways = frotz.get_state(), None
        self._see()
        return _shown(text)

    def _act(self, action: str) -> Outcome:
        text, _, over, told = self._open().step(action)
        # jericho's reward is the difference to a score that it does not put back with the rest of a state.
        before, self._score = self._score, int(told["score"])
        self._see()
        won = bool(self._frotz.victory())
        halted = bool(self._frotz._emulator_halted())
        return Outcome(_shown(text), float(self._score - before), terminated=bool(over) or won or halted, success=won)

    def _admissible(self) -> list[str] | None:
        return None if self._listed is None else list(self._listed)

    def _refusal(self, action: str) -> str:
        if self._listed is not None:
            return super()._refusal(action)
        return refusal(action, self._dictionary, self.story.word_chars)

    def _refused(self, action: str, reason: str) -> str:
        return reason

    def _get_world(self) -> Any:
        self._playing()
        remembered = self._score, self._listed, self._key, self._start, self._ways and dict(self._ways)
        return self._open().get_state(), remembered

    def _set_world(self, world: Any) -> None:
        state, (self._score, self._listed, self._key, self._start, ways) = world
        self._ways = None if ways is None else MappingProxyType(ways)
        self._open().set_state(state)

    def _state_key(self) -> str:
        self._playing()
        return self._key

    def _task(self) -> tuple[str, str]:
        points = f", and gain as many of its {self._points} points as you can" if self._points > 0 else ""
        return self.story.path.stem, f"Play the story {self.story.path.stem} to a good end{points}."

    def _settle(self, walkthrough: Sequence[str] | None) -> None:
        """Ask the interpreter what it knows of the story, and check the settings against it."""
        frotz = self._open()
        self._points = int(frotz.get_max_score())
        self._dictionary = frozenset(word.word.lower() for word in frotz.get_dictionary())
        known: dict[str, Any] = frotz.bindings or {}
        own = str(known["walkthrough"]).split("/") if known.get("walkthrough") else []
        self.walkthrough = tuple(own if walkthrough is None else walkthrough)
        self._walkthrough_seed = known.get("seed")
        self._settled(frotz)
        self.close()

    def _settled(self, frotz: Any) -> None:
        if self.list_actions and not frotz.act_gen:
            raise ConfigError(
                f"jericho lists actions for the stories it knows, and {self.story.path.name} is none of them; "
                "leave out list_actions"
            )
        if self.story_seed == "walkthrough" and self._walkthrough_seed is None:
            what = f"jericho has no walkthrough of {self.story.path.name}, and so no seed of one"
            raise ConfigError(f"{what}; give story_seed a number, or leave it out")
        if isinstance(self.story_seed, int) and not 0 < self.story_seed < 2**31:
            raise ConfigError(f"story_seed is a number from 1 to {2**31 - 1}; got {self.story_seed}")

    def _story_seed(self, rng: np.random.Generator) -> int:
        if self.story_seed == "walkthrough":
            assert self._walkthrough_seed is not None
            return int(self._walkthrough_seed)
        return int(rng.integers(1, 2**31)) if self.story_seed is None else self.story_seed

    def _open(self) -> Any:
        if self._frotz is None:
            with no_warnings():  # "not fully supported": see the class's docstring
                self._frotz = self._jericho.FrotzEnv(str(self.story.path))
        return self._frotz

    def _see(self) -> None:
        """Note what there is to know of this state, once."""
        self._key = _key(self._frotz.get_state())
        if self.list_actions:
            listed = self._frotz.get_valid_actions(use_parallel=False)
            self._listed = sorted({*map(str.lower, listed), *_ALWAYS})

    def _walk(self) -> MappingProxyType[str, tuple[str, ...]]:
        """For each state on the walkthrough what is left of it; empty if it does not succeed."""
        frotz, here, keys = self._frotz, self._frotz.get_state(), []
        frotz.set_state(self._start)
        for command in self.walkthrough:
            keys.append(_key(frotz.get_state()))
            frotz.step(command)
            if frotz.victory() or frotz.game_over():
                break
        won = bool(frotz.victory())
        frotz.set_state(here)
        way = self.walkthrough[: len(keys)]
        return MappingProxyType({key: way[place:] for place, key in enumerate(keys) if won})

    def _playing(self) -> None:
        if self._start is None:
            raise EnvError("no story is played; call reset() first", repr(self))

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the interpreter, whose memory is copied."""
        state = None if self._frotz is None else self._frotz.get_state()
        ways = None if self._ways is None else dict(self._ways)
        return {**self.__dict__, "_frotz": state, "_ways": ways, "_jericho": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Open the story and put its memory back."""
        memory, ways = state["_frotz"], state["_ways"]
        self.__dict__.update(state, _frotz=None, _ways=None if ways is None else MappingProxyType(ways))
        self._jericho = require("jericho", "jericho", "Jericho")
        if memory is not None:
            self._open().set_state(memory)


def _shown(text: str) -> str:
    return _STATUS_LINE.sub("", text.rstrip()).strip()


def _key(state: Any) -> str:
    """A hash of the machine: memory, the part of the stack in use, registers, random numbers."""
    ram, stack, pc, sp, fp, frames, _, rng, _ = state
    hashed = hashlib.blake2b(ram.tobytes(), digest_size=16)
    hashed.update(stack[2 * sp :].tobytes())
    hashed.update(repr((pc, sp, fp, frames, *map(int, rng))).encode())
    return hashed.hexdigest()


def _package_version() -> str:
    try:
        return version("jericho")
    except PackageNotFoundError:
        return "unknown"
