"""`ScienceWorldEnv`: the 30 tasks of ScienceWorld, each in many variations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.scienceworld.java import find_java
from agentgym_critic.envs.scienceworld.simulator import Answer, Episode, Simulator
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError, require
from agentgym_critic.types import Oracle

__all__ = ["SIMPLIFICATIONS", "SPLITS", "ScienceWorldEnv"]

SIMPLIFICATIONS = (
    "noElectricalAction",
    "openContainers",
    "openDoors",
    "selfWateringFlowerPots",
    "teleportAction",
)
"""What can be made easier; ``"easy"`` stands for what a task allows of them."""

SPLITS = ("dev", "test", "train")

_ELECTRICAL = ("power-component", "test-conductivity")


class Moment(NamedTuple):
    """A moment of an episode: how to get there, and what is known of it."""

    episode: Episode
    goal: str
    actions: tuple[str, ...] = ()
    points: int = 0
    listed: tuple[str, ...] = ()
    asks: bool = False
    key: str = ""


class ScienceWorldEnv(TextEnv):
    """Experiments in a house with a kitchen, a workshop and a greenhouse, by the package scienceworld.

    A seed draws a task and one of its variations. The reward of a step is the change of the
    official score, in [-1, 1]: a complete task has given 1 in all, a failed one ends at -1.

    Args:
        tasks: names of tasks, of the 30 there are; None for all.
        split: variations of ``"train"``, ``"dev"`` or ``"test"``, as the package splits them; None for all.
        simplifications: ``"easy"``, or names of `SIMPLIFICATIONS`.
        list_actions: whether the legal actions are listed (hundreds, in some rooms). False is faster,
            and `info` then has None for them.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        UnknownIdError: no such task, split or simplification.
        ConfigError: a setting is refused.
        MissingExtraError: the package or Java is not installed.
    """

    episode_options = frozenset({"task", "variation"})
    """``task``: the name of one; ``variation``: its number, of any split."""

    def __init__(
        self,
        tasks: str | Sequence[str] | None = None,
        *,
        split: str | None = None,
        simplifications: str | Sequence[str] = (),
        list_actions: bool = True,
        max_steps: int | None = 100,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        known = sorted(require("scienceworld.constants", "scienceworld", "ScienceWorld").ID2TASK.values())
        find_java()
        self.tasks = _known("ScienceWorld task", _several(tasks) or known, known)
        self.split = _known("ScienceWorld split", [split], SPLITS)[0] if split is not None else None
        self.simplifications = _simplifications(_several(simplifications), self.tasks)
        self.list_actions = list_actions
        self.env_version = f"scienceworld {_package_version()}"
        self._known_tasks = known
        self._simulator: Simulator | None = None
        self._moment: Moment | None = None
        self._variations: dict[str, list[int]] = {}
        self._ways: dict[Episode, MappingProxyType[str, tuple[str, ...]]] = {}

    def oracle(self) -> Oracle | None:
        """The rest of the package's gold path, from any state on it; None elsewhere, and where it fails.

        The first question in a variation finds the path and plays it, which takes seconds.
        """
        moment = self._now()
        if self._success:
            return Oracle(actions=(), steps_left=0)
        if not self._running:
            return None
        if moment.episode not in self._ways:
            with self._simulating() as simulator:
                self._ways[moment.episode] = simulator.ways(moment.episode)
        way = self._ways[moment.episode].get(moment.key)
        return Oracle(actions=way[:1], steps_left=len(way), exact=False) if way else None

    def close(self) -> None:
        """End the Java process."""
        self._running = False
        if self._simulator is not None:
            self._simulator.close()
            self._simulator = None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        with self._simulating() as simulator:
            episode = self._draw(simulator, rng, options)
            text = simulator.begin(episode)
            self._moment = self._seen(simulator, Moment(episode, simulator.goal()))
        return text

    def _act(self, action: str) -> Outcome:
        before = self._now()
        with self._simulating() as simulator:
            simulator.go(before.episode, before.actions)
            answer = simulator.act(action)
            after = before._replace(actions=(*before.actions, action), points=answer.points)
            self._moment = self._seen(simulator, after, answer)
        reward = (answer.points - before.points) / 100
        return Outcome(answer.text, reward, terminated=answer.over, success=answer.success)

    def _admissible(self) -> list[str] | None:
        moment = self._now()
        return list(moment.listed) if self.list_actions or moment.asks else None

    def _refusal(self, action: str) -> str:
        moment = self._now()
        if action in moment.listed:
            return ""
        if moment.asks:
            return f"{action!r} is none of the numbers asked for: {', '.join(moment.listed)}."
        with self._simulating() as simulator:
            simulator.go(moment.episode, moment.actions)
            if simulator.understands(action):
                return ""
            verbs = ", ".join(simulator.verbs())
            return f"{action!r} is not understood here. Actions, with OBJ for what is here: {verbs}."

    def _view(self) -> str:
        moment = self._now()
        with self._simulating() as simulator:
            simulator.go(moment.episode, moment.actions)
            return simulator.look()

    def _get_world(self) -> Moment:
        return self._now()

    def _set_world(self, world: Moment) -> None:
        self._moment = world

    def _state_key(self) -> str:
        return self._now().key

    def _task(self) -> tuple[str, str]:
        episode, goal = self._now()[:2]
        return "-".join(filter(None, [episode.task, str(episode.variation), episode.simplifications])), goal

    def _draw(self, simulator: Simulator, rng: np.random.Generator, options: dict[str, Any]) -> Episode:
        asked = options.get("task")
        task = (
            str(rng.choice(self.tasks)) if asked is None else _known("ScienceWorld task", [asked], self._known_tasks)[0]
        )
        variation = options.get("variation")
        if variation is None:
            variation = int(rng.choice(self._variations_of(simulator, task)))
        elif variation not in (every := simulator.variations(task, None)):
            raise ConfigError(f"the variations of {task} are the numbers 0 to {len(every) - 1}; got {variation!r}")
        if asked is not None:
            _simplifications(self.simplifications.split(",") if self.simplifications else [], [task])
        return Episode(task, variation, self.simplifications)

    def _variations_of(self, simulator: Simulator, task: str) -> list[int]:
        if task not in self._variations:
            self._variations[task] = simulator.variations(task, self.split)
        return self._variations[task]

    def _seen(self, simulator: Simulator, moment: Moment, answer: Answer | None = None) -> Moment:
        """A moment with what can be known of it; the simulator is there."""
        asks = simulator.asks()
        wanted = (self.list_actions or asks) and not (answer and answer.over)
        return moment._replace(listed=tuple(simulator.listed() if wanted else ()), asks=asks, key=simulator.key())

    def _now(self) -> Moment:
        if self._moment is None:
            raise EnvError("no experiment is under way; call reset() first", repr(self))
        return self._moment

    @contextmanager
    def _simulating(self) -> Iterator[Simulator]:
        """The simulator, started if there is none; one that fails is ended, and the episode with it."""
        try:
            if self._simulator is None:
                self._simulator = Simulator()
            yield self._simulator
        except EnvError:
            self.close()
            raise

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the process: the copy starts its own when it needs one."""
        ways = {episode: dict(way) for episode, way in self._ways.items()}
        return {**self.__dict__, "_simulator": None, "_ways": ways}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over settings and moment."""
        ways = {episode: MappingProxyType(way) for episode, way in state["_ways"].items()}
        self.__dict__.update(state, _ways=ways)


def _several(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise UnknownIdError(kind, str(name), known)
    return list(names)


def _simplifications(names: Sequence[str], tasks: Sequence[str]) -> str:
    """The names as the simulator takes them."""
    _known("ScienceWorld simplification", names, ("easy", *SIMPLIFICATIONS))
    if "easy" in names and len(names) > 1:
        raise ConfigError(f"the simplification 'easy' stands for others and comes alone; got {list(names)}")
    electrical = [task for task in tasks if task.startswith(_ELECTRICAL)]
    if "noElectricalAction" in names and electrical:
        raise ConfigError(f"{electrical[0]} takes electrical actions, and noElectricalAction leaves them out; drop one")
    return ",".join(sorted(names))


def _package_version() -> str:
    try:
        return version("scienceworld")
    except PackageNotFoundError:
        return "unknown"
