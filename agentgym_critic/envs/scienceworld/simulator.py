"""`Simulator`: the package scienceworld's own simulator, in a Java process of its own.

Every call is exact and repeatable: the simulator's random numbers are its state's own (asking for
the list of actions would draw from them; here they are put back), and `JavaProcess` fixes the order
of its sets. An episode is told by its actions, so going to any moment is playing them again.
"""

from __future__ import annotations

import contextlib
import hashlib
import operator
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from agentgym_critic.envs.scienceworld.java import JavaProcess
from agentgym_critic.errors import EnvError, require

__all__ = ["Answer", "Episode", "Simulator"]

_SCRAMBLE = 0x5DEECE66D
"""What java.util.Random mixes into a seed that it is set to."""

_NOT_UNDERSTOOD = "No known action matches that input."

Meaning: TypeAlias = tuple[int, tuple[tuple[str, int], ...]]
"""The number of an action, and the objects that its words stand for."""


class Episode(NamedTuple):
    """What `load` sets up."""

    task: str
    variation: int
    simplifications: str


class Answer(NamedTuple):
    """What the simulator says to an action."""

    text: str
    points: int
    """Score so far, -100 to 100; below 0 the task has failed."""
    completed: bool

    @property
    def over(self) -> bool:
        """Whether the task has ended, well or badly."""
        return self.completed or self.points < 0

    @property
    def success(self) -> bool:
        """Whether the task is complete."""
        return self.completed and self.points >= 100


class Simulator:
    """One episode at a time.

    Raises:
        MissingExtraError: the package or Java is not installed.
        EnvError: Java did not start. All methods raise it when the process has died.
    """

    def __init__(self) -> None:
        constants = require("scienceworld.constants", "scienceworld", "ScienceWorld")
        self._java = JavaProcess(constants.JAR_PATH)
        self._episode: Episode | None = None
        self._actions: tuple[str, ...] = ()
        with self._java.calling():
            jvm = self._java.jvm
            self._server = jvm.scienceworld.runtime.pythonapi.PythonInterface()
            self._random = jvm.scala.util.__getattr__("Random$").__getattr__("MODULE$")
            self._join = jvm.java.lang.String.join

    @property
    def pid(self) -> int:
        """The number of the Java process."""
        return self._java.pid

    def variations(self, task: str, split: str | None) -> list[int]:
        """The variations of a task, of a split (``"train"``, ``"dev"``, ``"test"``) or all of them."""
        with self._java.calling():
            if split is None:
                return list(range(self._server.getTaskMaxVariations(task)))
            self._load(Episode(task, 0, ""))
            return sorted(getattr(self._server, f"getVariations{split.capitalize()}")())

    def go(self, episode: Episode, actions: tuple[str, ...]) -> None:
        """Be at the moment of `episode` to which `actions` lead from its beginning."""
        if episode != self._episode or actions[: len(self._actions)] != self._actions:
            self.begin(episode)
        for action in actions[len(self._actions) :]:
            self.act(action)

    def begin(self, episode: Episode) -> str:
        """Set up an episode; returns what there is to see."""
        with self._java.calling():
            self._load(episode)
            if problem := self._server.errorStr():
                raise EnvError(f"ScienceWorld cannot set up {episode}: {problem}", "package scienceworld")
            self._episode = episode
            # Takes no time, but has the goals looked at: where the package's own episodes begin.
            return str(self._server.step("look around"))

    def act(self, action: str) -> Answer:
        """Carry out an action, or answer the simulator's question.

        Raises:
            EnvError: the simulator itself failed.
        """
        with self._java.calling():
            text = str(self._server.step(action))
            answer = Answer(text, round(100 * self._server.getScore()), bool(self._server.getCompleted()))
            if answer.points < 0 and self._interface.isInErrorState():
                raise EnvError(f"ScienceWorld failed at {action!r}: {text}", "package scienceworld")
        self._actions += (action,)
        return answer

    def look(self) -> str:
        """The surroundings, described without taking time."""
        with self._java.calling():
            return str(self._server.freeActionLook())

    def goal(self) -> str:
        """The task in words."""
        with self._java.calling():
            return str(self._server.getTaskDescription()).strip()

    def verbs(self) -> list[str]:
        """The forms that actions have, with OBJ for an object."""
        with self._java.calling():
            return list(self._server.getPossibleActions())

    def asks(self) -> bool:
        """Whether the last action could mean several things, and the simulator waits for a number."""
        with self._java.calling():
            return bool(self._parser.isInAmbiguousState())

    def listed(self) -> list[str]:
        """The simulator's list of valid actions, sorted; numbers while it asks."""
        with self._java.calling(), self._random_kept():
            text = str(self._join("\n", self._server.getValidActionObjectCombinations()))
        return sorted(set(text.split("\n")))

    def understands(self, action: str) -> bool:
        """Whether an action means something here, in whatever words."""
        return action in ("help", "objects") or bool(self._meanings(action))

    def key(self) -> str:
        """A hash of the state: what `_world` sees, and the number of actions, which the goals count in secret."""
        return _hash(self._world(), len(self._actions))

    def ways(self, episode: Episode) -> MappingProxyType[str, tuple[str, ...]]:
        """For each state on the gold path, the listed actions that lead from there to success.

        The path is played, and empty if it does not succeed. The simulator is elsewhere afterwards.
        """
        gold = self._gold(episode)
        for wait in (False, True):
            spoken = self._speak(episode, gold, wait)
            for actions in ([action for action, idle in spoken if not idle], [action for action, _ in spoken]):
                if ways := self._walk(episode, actions):
                    return MappingProxyType(ways)
        return MappingProxyType({})

    def _walk(self, episode: Episode, actions: list[str]) -> dict[str, tuple[str, ...]]:
        """The states along a way, each with what is left of it; empty if it does not end in success."""
        answer, keys = Answer(self.begin(episode), 0, False), []
        for action in actions:
            keys.append(self.key())
            answer = self.act(action)
        return {key: tuple(actions[place:]) for place, key in enumerate(keys) if answer.success}

    def _speak(self, episode: Episode, gold: list[str], wait: bool) -> list[tuple[str, bool]]:
        """The gold path in listed actions, each with whether it left the world as it was; empty if it fails.

        What is not listed would fail and cost a turn: it is left out or, with `wait`, a turn is spent
        looking at something, so that the world's clock and chances stay the path's.
        """
        answer, world = Answer(self.begin(episode), 0, False), self._world()
        spoken, path = [], iter(gold)
        for action in path:
            for listed in self._wording(action, path, wait):
                answer, before = self.act(listed), world
                world = self._world()
                spoken.append((listed, world == before))
            if answer.over:
                break
        return spoken if answer.success else []

    def _world(self) -> str:
        """A hash of objects, clock, random numbers, progress, and the question that is open."""
        with self._java.calling():
            self._server.getObjectTree(str(self._java.folder))
            tree = msgspec.json.decode((self._java.folder / "objectTree.json").read_bytes())
            progress, asked = str(self._server.getGoalProgressStr()), self._actions[-1] if self.asks() else ""
            return _hash(self._episode, tree, self._server.getNumMoves(), progress, self._random_state(), asked)

    def close(self) -> None:
        """End the process."""
        self._java.close()

    def _load(self, episode: Episode, gold: bool = False) -> None:
        self._episode, self._actions = None, ()
        self._server.load(episode.task, episode.variation, episode.simplifications, gold)
        self._interface = self._server.agentInterface().get()
        self._parser = self._interface.inputParser()

    def _gold(self, episode: Episode) -> list[str]:
        with self._java.calling():
            self._load(episode, gold=True)
            return list(self._server.getGoldActionSequence())

    def _wording(self, action: str, following: Iterator[str], wait: bool) -> list[str]:
        """An action of the gold path in listed actions, the answer to a question included; empty if it is left out."""
        templates, lowered = self._templates(), action.lower()
        if any(each["action"] == lowered for each in templates):
            return [lowered]
        meanings = self._meanings(action)
        if not meanings:
            return []
        choice = next(following, "") if len(meanings) > 1 else "0"
        known = choice.isdigit() and int(choice) < len(meanings)
        ways = self._ways_to_say(meanings[int(choice)], templates) if known else []
        looks = [[each["action"]] for each in templates if wait and each["action"].startswith("look at ")]
        return next(iter([*sorted(ways, key=len), *looks]), [])

    def _ways_to_say(self, meaning: Meaning, templates: list[dict[str, Any]]) -> list[list[str]]:
        """Listed actions that mean this, each alone or with the number that answers the simulator's question."""
        number, objects = meaning
        uuids, ways = {uuid for _, uuid in objects}, []
        for each in templates:
            # Where something is put is among the objects, but not always in the list.
            if each["template_id"] == number and uuids.issuperset(each["obj_ids"]):
                meanings = self._meanings(each["action"])
                if meaning in meanings:
                    answer = [str(meanings.index(meaning))] if len(meanings) > 1 else []
                    ways.append([str(each["action"]), *answer])
        return ways

    def _templates(self) -> list[dict[str, Any]]:
        """The list of actions with the number and the objects of each."""
        with self._java.calling(), self._random_kept():
            listed = msgspec.json.decode(str(self._server.getValidActionObjectCombinationsJSON()))["validActions"]
        return sorted(listed, key=operator.itemgetter("action"))

    def _meanings(self, action: str) -> list[Meaning]:
        """All that the simulator's parser makes of an action; nothing is carried out."""
        with self._java.calling():
            here, agent = self._interface.getAgentVisibleObjects(False)._2(), self._interface.agent()
            monitor, goals = self._interface.objMonitor(), self._interface.task().goalSequence()
            room = agent.getContainer().get()
            parsed = self._parser.parse(action, here, self._interface.universe(), agent, monitor, goals, room)
            if parsed._1():
                found = parsed._4().get()
                return [(found.action().uniqueActionID(), _objects(found.assignments()))]
            if not self._parser.isInAmbiguousState():
                return []
            matches = list(self._parser.lastAmbiguousMatches().get())
            self._parser.clearAmbiguousState()
            return [(each.actionRequestDef().get().uniqueActionID(), _objects(each.varLUT())) for each in matches]

    @contextlib.contextmanager
    def _random_kept(self) -> Iterator[None]:
        """The random numbers go on afterwards as if none had been drawn; what is drawn inside is always the same."""
        state = self._random_state()
        self._random.setSeed(0)
        yield
        self._random.setSeed(state ^ _SCRAMBLE)

    def _random_state(self) -> int:
        """The 48 bits of the simulator's generator, read from its serialised form."""
        jvm = self._java.jvm
        written = jvm.java.io.ByteArrayOutputStream()
        jvm.java.io.ObjectOutputStream(written).writeObject(self._random.self())
        return int.from_bytes(bytes(written.toByteArray())[-9:-1], "big")


def _hash(*parts: Any) -> str:
    return hashlib.blake2b(msgspec.json.encode(parts, order="sorted"), digest_size=16).hexdigest()


def _objects(assignments: Any) -> tuple[tuple[str, int], ...]:
    pairs, entries = [], assignments.iterator()
    while entries.hasNext():
        entry = entries.next()
        pairs.append((str(entry._1()), int(entry._2().uuid())))
    return tuple(sorted(pair for pair in pairs if pair[0] != "agent"))
