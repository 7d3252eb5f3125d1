"""`ReferenceEngine`: ALFWorld's own simulator, driven through the packages textworld and alfworld.

What it says and allows is the reference's answer, byte for byte; nothing is cached or guessed.
It leaves out textworld's Gym layer and the second translation of the game that ``reset`` of
that layer makes.
"""

from __future__ import annotations

import os
import re
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.plan import Plan
from agentgym_critic.envs.tw_package import TEXTWORLD_LOCK, facts_key, load
from agentgym_critic.errors import EnvError, boundary
from agentgym_critic.types import Oracle

__all__ = ["ReferenceEngine", "SavedState"]

_NEEDED_BY = "ALFWorld's reference engine"
_ALFWORLD = "alfworld.agents.environment.alfred_tw_env"

_idle: list[Any] = []
"""Simulators without a game. Each holds its own copy of a C++ library, which must not be unloaded: it crashes."""


class SavedState(NamedTuple):
    """A saved state. A pickled copy keeps the commands alone."""

    commands: tuple[str, ...]
    sas: str = ""
    """The translated game, in which the operators have their numbers."""
    operators: tuple[int, ...] = ()
    facts: Any = None
    screen: Any = None
    walkthrough: Plan | None = None
    plan: Plan | None = None

    def __reduce__(self) -> tuple[type[SavedState], tuple[tuple[str, ...]]]:
        """The commands that led here."""
        return SavedState, (self.commands,)


class ReferenceEngine:
    """One game in ALFWorld's own simulator: `textworld.envs.pddl.PddlEnv` with ALFWorld's names.

    Raises:
        MissingExtraError: textworld[pddl] or alfworld is not installed.
    """

    def __init__(self) -> None:
        self._open()
        self.version = f"textworld {_version('textworld')}, alfworld {_version('alfworld')}, engine reference"
        self._game: Game | None = None
        self._noted: set[str] = set()
        self._first: tuple[str, SavedState] | None = None
        self._commands: tuple[str, ...] = ()
        self._operators: tuple[int, ...] = ()
        self._walkthrough: Plan | None = None
        self._plan: Plan | None = None

    @property
    def admissible(self) -> list[str]:
        """The legal commands, sorted as the reference sorts them."""
        return list(self._env.state["admissible_commands"])

    @property
    def won(self) -> bool:
        """Whether the goal is reached."""
        return bool(self._env.state["won"])

    def start(self, game: Game) -> str:
        """Begin `game` anew: translated when it is another one, rewound when it is the same."""
        if not self._return_env.alive:
            self._open()
        if self._first is None or self._game != game:
            self._first = None
            with TEXTWORLD_LOCK, boundary(f"ALFWorld game {game.path}", EnvError), _process_globals_kept():
                introduction = self._translate(game)
            self._game, self._commands, self._operators = game, (), ()
            self._walkthrough, self._plan = Plan(tuple(game.file.walkthrough)), None
            self._first = introduction, self.save()
        introduction, moment = self._first
        self.restore(moment)
        return introduction

    def act(self, command: str) -> str:
        """Carry out a command; one that is not admissible is answered and changes nothing."""
        with TEXTWORLD_LOCK:
            state, _, _ = self._env.step(command)
        if done := state["_last_action"]:
            self._commands += (command,)
            self._operators += (done.id,)
            self._walkthrough, self._plan = (way and way.after(command) for way in (self._walkthrough, self._plan))
        return str(state.feedback)

    def key(self) -> str:
        """A hash of the facts that hold, and of those noted as false where the game's texts read such notes.

        textworld notes a fact as false only once an action has made it so.
        """
        facts = self._env._pddl_state.facts
        return facts_key(fact for fact in facts if not fact.is_negation or fact.name in self._noted)

    def oracle(self) -> Oracle | None:
        """The next command of a way to success, or None where none was found.

        On the way of the game's recorded walkthrough that way is told, once playing it through
        has proven it; elsewhere a way is searched anew: seconds, minutes for tasks with two objects.
        """
        if self._plan is None:
            recorded = self._walkthrough
            self._plan = recorded if recorded and self._succeeds(recorded) else self.plan()
        return self._plan.oracle() if self._plan else None

    def plan(self) -> Plan | None:
        """A shortest way to the goal, by Fast Downward's breadth-first search from this state.

        Its lazy search orders states by the cost of their parent, first in first out; without
        a metric each action costs one, so the first way found is a shortest one.
        """
        state = self._env._pddl_state
        commands = tuple(state.replan(self._env._entity_infos))
        if not commands or commands[0] not in self.admissible:
            return None
        return Plan(commands, exact="begin_metric\n0\n" in state.sas_replan[:100])

    def save(self) -> SavedState:
        """The operators applied so far, with a copy of the facts that textworld keeps beside them."""
        state = self._env._pddl_state
        facts, screen = _facts(state), self._env.state
        return SavedState(self._commands, state.sas, self._operators, facts, screen, self._walkthrough, self._plan)

    def restore(self, saved: SavedState) -> None:
        """Apply the operators of `saved` again: milliseconds.

        A state that was pickled, or saved under another translation, is played again: slow.

        Raises:
            EnvError: it is no state of this engine; nothing has changed.
        """
        if not isinstance(saved, SavedState):
            raise EnvError(f"a saved state in {self.version} is a SavedState, got {type(saved).__name__}", self.version)
        state = self._env._pddl_state
        if saved.sas != state.sas:
            self._replay(saved.commands)
            return
        state.downward_lib.load_sas(state.sas.encode())
        for operator in saved.operators:
            state.downward_lib.apply_operator(operator, None)
        for name, value in _copied(saved.facts).items():
            setattr(state, name, value)
        state.all_applicable_actions()  # numbers the operators that `step` may apply next
        self._env.state = saved.screen
        self._commands, self._operators = saved.commands, saved.operators
        self._walkthrough, self._plan = saved.walkthrough, saved.plan

    def close(self) -> None:
        """Give the simulator back for the next engine."""
        self._first = self._game = None
        self._return_env()

    def __getstate__(self) -> dict[str, Any]:
        """The game and the commands given so far."""
        return {"game": self._game, "commands": self._commands}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Play the commands again."""
        self.__init__()  # type: ignore[misc]
        if state["game"] is not None:
            self.start(state["game"])
            self._replay(state["commands"])

    def _succeeds(self, plan: Plan) -> bool:
        here = self.save()
        try:
            for action in plan.actions:
                if self.won or action not in self.admissible:
                    return False
                self.act(action)
            return self.won
        finally:
            self.restore(here)

    def _open(self) -> None:
        self._env = _take_env()
        self._return_env = weakref.finalize(self, _give_back, self._env)

    def _translate(self, game: Game) -> str:
        env = self._env
        self._noted = set(re.findall(r"\bnot_\w+", game.file.grammar))
        _alfworld().AlfredDemangler(env).load(msgspec.to_builtins(game.file))
        context = {
            "state": env._pddl_state,
            "facts": list(env._pddl_state.facts),
            "variables": {},
            "mapping": {},
            "entity_infos": env._entity_infos,
        }
        introduction = env._logic.grammar.derive("#intro#", context)
        env._last_action, env._moves = None, 0
        env.state = load("textworld", "alfworld", _NEEDED_BY).core.GameState(feedback=introduction)
        env._gather_infos()
        return str(introduction)

    def _replay(self, commands: tuple[str, ...]) -> None:
        assert self._game is not None
        self.start(self._game)
        for command in commands:
            self.act(command)


def _take_env() -> Any:
    with TEXTWORLD_LOCK:
        if _idle:
            return _idle.pop()
        load("fast_downward", "alfworld", _NEEDED_BY)
        _alfworld()
        textworld = load("textworld", "alfworld", _NEEDED_BY)
        wanted = textworld.EnvInfos(feedback=True, won=True, admissible_commands=True)
        return load("textworld.envs.pddl", "alfworld", _NEEDED_BY).PddlEnv(wanted)


def _alfworld() -> Any:
    with TEXTWORLD_LOCK:
        return sys.modules.get(_ALFWORLD) or _first_import()


def _first_import() -> Any:
    # Importing alfworld sets $ALFWORLD_DATA and creates the folder it names; neither is wanted.
    before = os.environ.get("ALFWORLD_DATA")
    os.environ["ALFWORLD_DATA"] = os.getcwd()
    try:
        return load(_ALFWORLD, "alfworld", _NEEDED_BY)
    finally:
        os.environ.pop("ALFWORLD_DATA")
        if before is not None:
            os.environ["ALFWORLD_DATA"] = before


def _give_back(env: Any) -> None:
    env.downward_lib.cleanup()
    env.state = None
    _idle.append(env)


def _facts(state: Any) -> dict[str, Any]:
    return _copied({name: getattr(state, name) for name in ("_facts", "_vars_by_name", "_vars_by_type", "_var_counts")})


def _copied(facts: dict[str, Any]) -> dict[str, Any]:
    copies = {name: value.copy() for name, value in facts.items()}
    for name in ("_facts", "_vars_by_type"):
        for key, members in facts[name].items():
            copies[name][key] = members.copy()
    return copies


@contextmanager
def _process_globals_kept() -> Iterator[None]:
    # The translator overwrites the command line, prints, and ends the process on a wrong file.
    argv, stdout = sys.argv, sys.stdout
    try:
        yield
    except SystemExit as cause:
        raise ValueError(f"the translator refused it: {cause}") from cause
    finally:
        sys.argv, sys.stdout = argv, stdout


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
