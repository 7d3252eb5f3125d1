"""`Session`: one compiled TextWorld game being played, with textworld's own tracking of its facts.

The text comes from the game's Z-machine story (through jericho); admissible commands, facts
and policies from textworld's logic, which follows the story's events. Only commands that the
logic lists are given to the story, so one command is one action.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from agentgym_critic.envs.plan import Plan
from agentgym_critic.envs.tw_package import TEXTWORLD_LOCK, facts_key, load

__all__ = ["Moment", "Session"]

_NEEDED_BY = "TextWorld"

_PARTS = {"_wrapped_env", "_jericho"}
"""What a wrapper is made of, as opposed to what it remembers."""

STORY_SEED = 1
"""Seed of the story's own random numbers; 0 would mean the clock."""

BANNER = re.compile(r"\A(?:[ $\\/|_>]*\n)+")
"""The title that each game draws with dollar signs."""


class Moment(NamedTuple):
    """A saved state. A pickled copy keeps the commands alone."""

    commands: tuple[str, ...]
    story: Any = None
    """The story's memory."""
    progress: Any = None
    """textworld's facts and quests."""
    layers: tuple[dict[str, Any], ...] = ()
    """What the wrappers around the story remember."""

    def __reduce__(self) -> tuple[type[Moment], tuple[tuple[str, ...]]]:
        """The commands that led here."""
        return Moment, (self.commands,)


class Session:
    """One game at a time. It pickles as its commands, which its twin plays again.

    Raises:
        MissingExtraError: textworld is not installed.
    """

    def __init__(self) -> None:
        textworld = load("textworld", "textworld", _NEEDED_BY)
        jericho = load("textworld.envs.zmachine.jericho", "textworld", _NEEDED_BY)
        self._env = textworld.envs.TWInform7(jericho.JerichoEnv(textworld.EnvInfos(feedback=True)))
        self._tracker = self._env._wrapped_env
        # Asked of the tracking layer alone: jericho would look for commands too, and warn that it finds none.
        self._tracker.request_infos = textworld.EnvInfos(admissible_commands=True, policy_commands=True)
        self._story: Path | None = None
        self._state: Any = None
        self._commands: tuple[str, ...] = ()

    @property
    def admissible(self) -> list[str]:
        """The legal commands, sorted."""
        return list(self._state["admissible_commands"])

    @property
    def won(self) -> bool:
        """Whether the story ended well."""
        return bool(self._state["won"])

    @property
    def lost(self) -> bool:
        """Whether the story ended badly."""
        return bool(self._state["lost"])

    @property
    def score(self) -> int:
        """Points so far."""
        return int(self._state["score"] or 0)

    @property
    def max_score(self) -> int:
        """Points the game has to give."""
        return int(self._state["max_score"])

    @property
    def objective(self) -> str:
        """The task in words; empty if the game does not tell it."""
        return str(self._state["objective"]).strip()

    def start(self, story: Path) -> str:
        """Begin the game in `story` and return its opening text without the drawn title."""
        with TEXTWORLD_LOCK:
            if story != self._story:
                self._env.load(str(story))
                self._env.seed(STORY_SEED)
            self._state = self._env.reset()
        self._story, self._commands = story, ()
        return BANNER.sub("", self._state["feedback"].lstrip("\n")).strip()

    def act(self, command: str) -> str:
        """Carry out an admissible command and return what the story says."""
        with TEXTWORLD_LOCK:
            self._state, _, _ = self._env.step(command)
        self._commands += (command,)
        return str(self._state["feedback"]).strip()

    def key(self) -> str:
        """A hash of the facts and of what became of each quest."""
        progress = self._tracker._game_progression
        quests = [f"{quest.completed} {quest.failed} {quest.nb_completions}" for quest in progress.quest_progressions]
        return facts_key(progress.state.facts, *quests)

    def plan(self) -> Plan | None:
        """A way to win from here that textworld's logic confirms: its own policy, or else the walkthrough."""
        ways = [self._state.get("policy_commands") or (), self._tracker._game.metadata.get("walkthrough") or ()]
        with TEXTWORLD_LOCK:
            return next((Plan(tuple(way)) for way in ways if way and self._wins(way)), None)

    def save(self) -> Moment:
        """This state, valid until another game is started."""
        return Moment(
            self._commands,
            self._env.unwrapped._jericho.get_state(),
            self._tracker._game_progression.copy(),
            tuple({name: vars(layer)[name] for name in vars(layer).keys() - _PARTS} for layer in self._layers()),
        )

    def restore(self, saved: Moment) -> None:
        """Return to a state of this game that `save` gave; a pickled one is played again."""
        if saved.story is None:
            assert self._story is not None
            self._replay(self._story, saved.commands)
            return
        self._env.unwrapped._jericho.set_state(saved.story)
        for layer, remembered in zip(self._layers(), saved.layers, strict=True):
            vars(layer).update(remembered)
        self._tracker._game_progression = saved.progress.copy()
        self._state, self._commands = self._tracker.state, saved.commands

    def close(self) -> None:
        """Release the story's interpreter; a later `start` makes another."""
        self._env.close()
        self._story = None

    def __getstate__(self) -> dict[str, Any]:
        """The game and the commands given so far."""
        return {"story": self._story, "commands": self._commands}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Play the commands again."""
        self.__init__()  # type: ignore[misc]
        if state["story"] is not None:
            self._replay(state["story"], state["commands"])

    def _replay(self, story: Path, commands: tuple[str, ...]) -> None:
        self.start(story)
        for command in commands:
            self.act(command)

    def _layers(self) -> list[Any]:
        layers, layer = [], self._env
        while layer is not None:
            layers.append(layer)
            layer = vars(layer).get("_wrapped_env")
        return layers

    def _wins(self, commands: tuple[str, ...] | list[str]) -> bool:
        progress, names = self._tracker._game_progression.copy(), self._tracker._inform7.gen_commands_from_actions
        for command in commands:
            possible = names(progress.valid_actions)
            if progress.done or command not in possible:
                return False
            progress.update(progress.valid_actions[possible.index(command)])
        return bool(progress.completed)
