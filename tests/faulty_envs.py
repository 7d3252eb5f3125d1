"""Environments that each break one promise of `TextEnv`, with what `check_text_env` says about it.

At module level, because the check copies environments with pickle.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import threading
from typing import Any

import gymnasium
import numpy as np
from worlds import CorridorEnv

from agentgym_critic.envs.base import Outcome
from agentgym_critic.types import Oracle

FAULTS: list[tuple[type[gymnasium.Env[str, str]], str]] = []
"""Each faulty environment with a line of the report on it."""


def says(line: str) -> Any:
    """Enter an environment into `FAULTS`."""

    def enter(env: type[gymnasium.Env[str, str]]) -> type[gymnasium.Env[str, str]]:
        FAULTS.append((env, line))
        return env

    return enter


class LongCorridor(CorridorEnv):
    """So long that chance does not find the goal."""

    def __init__(self) -> None:
        super().__init__(length=1_000_000)


# ---------------------------------------------------------------------- What reset and step return


@says("text env: it is a NotText; derive it from agentgym_critic.envs.TextEnv")
class NotText(gymnasium.Env[str, str]):
    pass


@says("gymnasium checker: it warned: The default seed argument in reset should be `None`")
class DefaultSeed(CorridorEnv):
    def reset(self, *, seed: int | None = 3, options: dict[str, Any] | None = None):  # type: ignore[override]
        return super().reset(seed=seed, options=options)


@says("gymnasium checker: AssertionError: The first element returned by `env.reset()` is not within the")
class BytesForReset(CorridorEnv):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> Any:
        return super()._begin(rng, options).encode()


@says("observations: an observation is 3; return a string that FreeText(1000000) contains")
class NumbersForObservations(CorridorEnv):
    def _act(self, action: str) -> Outcome:
        return super()._act(action)._replace(observation=3)  # type: ignore[arg-type]


@says("rewards: a reward is nan; return a finite float")
class NanReward(CorridorEnv):
    illegal_action_reward = float("nan")


@says("info keys: info has no 'task'; extend what TextEnv._info returns instead of replacing it")
class NoTask(CorridorEnv):
    def _info(self) -> dict[str, Any]:
        info = super()._info()
        del info["task"]
        return info


@says("info keys: info['invalid_action'] is 0; make it a bool")
class NumberForBool(CorridorEnv):
    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "invalid_action": int(bool(self._invalid_reason))}


@says("info keys: info['task_id'] is empty; say what it is")
class NoTaskId(CorridorEnv):
    def _task(self) -> tuple[str, str]:
        return "", "Reach the end."


@says("one task an episode: info['task'] was 'Leave cell ")
class MovingGoal(CorridorEnv):
    def _task(self) -> tuple[str, str]:
        return "corridor", f"Leave cell {self.cell}."


# ---------------------------------------------------------------------- Actions


@says("admissible actions: admissible_actions is ('right',); make it a list of strings, or None")
class TupleOfActions(LongCorridor):
    def _admissible(self) -> Any:
        return ("right",)


@says("admissible actions: admissible_actions names an action twice: ['left', 'right', 'left']; list each once")
class TwiceTheSame(LongCorridor):
    def _admissible(self) -> list[str]:
        return ["left", "right", "left"]


@says("admissible actions: one state listed ['left', 'right'] and then ['right', 'left']; list them in a fixed order")
class ShuffledActions(LongCorridor):
    def _admissible(self) -> list[str]:
        return ["left", "right"] if self._steps_taken % 2 else ["right", "left"]


@says("admissible actions work: 'right' is listed but was refused (No.); list only what is legal")
class RefusesRight(CorridorEnv):
    def _refusal(self, action: str) -> str:
        return "No." if action == "right" else super()._refusal(action)


@says("illegal actions: gibberish was not refused; set invalid_action and say why")
class TakesAnything(LongCorridor):
    def _refusal(self, action: str) -> str:
        return ""


@says("illegal actions: an empty action was not refused; set invalid_action and say why")
class TakesNothing(LongCorridor):
    def _try(self, action: object) -> Outcome:
        return super()._try(action or "right")


@says("illegal actions: None raised AttributeError: 'NoneType' object has no attribute 'lower'; refuse it like any")
class StringsOnly(LongCorridor):
    def step(self, action: str) -> Any:
        return super().step(action.lower())


@says("illegal actions: several lines changed state_key from ")
class IllegalMoves(LongCorridor):
    def _refused(self, action: str, reason: str) -> str:
        self.cell += 1
        return super()._refused(action, reason)


@says("illegal actions: white space changed the oracle from Oracle(actions=('right',), steps_left=")
class IllegalConfuses(LongCorridor):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=told.actions, steps_left=told.steps_left + bool(self._invalid_reason))


@says("illegal actions: a listed action in look-alike letters was not refused; set invalid_action and say why")
class TakesLookAlikes(LongCorridor):
    def _read(self, action: object) -> str:
        return super()._read(action).replace("\u0456", "i").replace("\u0435", "e")


@says("illegal actions: two listed actions on two lines was not refused; set invalid_action and say why")
class TakesTheFirstLine(LongCorridor):
    def _read(self, action: object) -> str:
        return super()._read(action.partition("\n")[0] if isinstance(action, str) else action)


@says("illegal actions: a listed action with a zero-width space was not refused; set invalid_action and say why")
class TakesInvisibleSpace(LongCorridor):
    def _read(self, action: object) -> str:
        return super()._read(action).replace("\u200b", "")


@says("illegal actions: the number 7 was refused without a reason; explain it in invalid_reason")
class Unexplained(CorridorEnv):
    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "invalid_reason": ""}


@says("invalid reasons: invalid_action is False, invalid_reason 'None.'; give a reason exactly if it is True")
class AlwaysAReason(CorridorEnv):
    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "invalid_reason": "None."}


@says("illegal actions: a lone surrogate ended the task; an illegal action only costs a step")
class IllegalEnds(LongCorridor):
    def _try(self, action: object) -> Outcome:
        outcome = super()._try(action)
        return outcome._replace(terminated=True) if self._invalid_reason else outcome


# ---------------------------------------------------------------------- The ends of an episode


@says("step limit: illegal actions were truncated not by step 21, max_steps is 20; count every step, legal or not")
class IllegalIsFree(LongCorridor):
    def _refused(self, action: str, reason: str) -> str:
        self._steps_taken -= 1
        return super()._refused(action, reason)


@says("step limit: legal actions were truncated after step ")
class LegalCountsTwice(LongCorridor):
    def _act(self, action: str) -> Outcome:
        self._steps_taken += self._steps_taken < 15
        return super()._act(action)


@says("success ends the task: success was True but terminated False; end the episode with the step that succeeds")
class EndlessSuccess(LongCorridor):
    def _act(self, action: str) -> Outcome:
        return super()._act(action)._replace(success=True)


@says("success ends the task: a step was terminated and truncated at once; a task that ended is not cut off")
class EndsTwice(LongCorridor):
    def step(self, action: str) -> Any:
        observation, reward, _, _, info = super().step(action)
        over = self._steps_taken > 5
        return observation, reward, over, over, info


@says("after the end: a step after the end was carried out; raise EnvError")
class NeverEnds(LongCorridor):
    def step(self, action: str) -> Any:
        self._running = True
        return super().step(action)


@says("after the end: a step after the end raised ValueError; raise EnvError")
class EndsInAnotherError(LongCorridor):
    def step(self, action: str) -> Any:
        if not self._running:
            raise ValueError("over")
        return super().step(action)


@says("after the end: admissible_actions is ['right'] when it is over; make it []")
class ActionsAtTheEnd(LongCorridor):
    def _info(self) -> dict[str, Any]:
        info = super()._info()
        return {**info, "admissible_actions": info["admissible_actions"] or ["right"]}


@says("before the first reset: a step before the first reset was carried out; raise EnvError")
class StartsByItself(LongCorridor):
    def step(self, action: str) -> Any:
        if not self._running and not self._steps_taken:
            self.reset()
        return super().step(action)


@says("unknown options: reset took an unknown option without a word; name those you know in episode_options")
class AnyOption(LongCorridor):
    def _check_options(self, options: dict[str, Any]) -> None:
        pass


@says("unknown options: reset raised KeyError for an unknown option; raise ConfigError")
class OptionKeyError(LongCorridor):
    def _check_options(self, options: dict[str, Any]) -> None:
        for option in options:
            raise KeyError(option)


# ---------------------------------------------------------------------- Seeds


@says("same seed again: seed 0 played again: the observation of reset was 'Episode 1. You are")
class CountsEpisodes(LongCorridor):
    episodes = 0

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.episodes += 1
        return f"Episode {self.episodes}. {super()._begin(rng, options)}"


class CountsInstances(LongCorridor):
    instances = itertools.count()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, number=next(self.instances))

    def _view(self) -> str:
        return f"This is instance {self.number}. {super()._view()}"


says("same seed in another: seed 1 in another instance: the observation of reset was 'This is instance ")(
    CountsInstances
)


@says("same seed interleaved: seed 0 in turns with another: the observation of step ")
class SharedCell(LongCorridor):
    shared = 0

    @property
    def cell(self) -> int:  # type: ignore[override]
        return SharedCell.shared

    @cell.setter
    def cell(self, cell: int) -> None:
        SharedCell.shared = cell


@says("same seed in threads: seed 2 in a thread: the observation of reset was 'Main thread: True.")
class KnowsItsThread(LongCorridor):
    def _view(self) -> str:
        return f"Main thread: {threading.current_thread() is threading.main_thread()}. {super()._view()}"


@says("same seed in a process: seed 0 in another process: the info of reset was ")
class FollowsASet(LongCorridor):
    def _info(self) -> dict[str, Any]:
        words = {f"a stone {number}" for number in range(50)}
        return {**super()._info(), "nearby": list(words)}


@says("same seed in a process: it raised RuntimeError: not here; the traceback is this error's cause")
class KnowsItsProcess(LongCorridor):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        if sys.modules["__main__"].__spec__ and sys.modules["__main__"].__spec__.name.endswith("elsewhere"):
            raise RuntimeError("not here")
        return super()._begin(rng, options)


@says("same seed in a process: it raised RuntimeError: another process died: gone; the traceback is this error's cause")
class DiesInAnother(LongCorridor):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        if sys.modules["__main__"].__spec__ and sys.modules["__main__"].__spec__.name.endswith("elsewhere"):
            print("gone", file=sys.stderr, flush=True)
            os._exit(3)
        return super()._begin(rng, options)


@says("reset without seed: reset() after reset(seed=0): the observation of reset was ")
class UnseededIsRandom(LongCorridor):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=int.from_bytes(os.urandom(4), "big") if seed is None else seed, options=options)


@says("global random state: an episode changed the global state of random or numpy.random; draw only from the rng")
class DrawsFromRandom(LongCorridor):
    def _act(self, action: str) -> Outcome:
        random.random()
        return super()._act(action)


@says("global random state: an episode changed the global state of random or numpy.random; draw only from the rng")
class DrawsFromNumpy(LongCorridor):
    def _act(self, action: str) -> Outcome:
        np.random.random()
        return super()._act(action)


@says("global random state: under another global random state: the observation of reset was ")
class StartsAtRandom(LongCorridor):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.cell = random.randrange(900)
        return self._view()


@says("noise between steps: with global generators set anew before each step the observation of step 1 was ")
class PeeksAtRandom(LongCorridor):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.seen = random.getstate()
        return super()._begin(rng, options)

    def _act(self, action: str) -> Outcome:
        self.cell += random.getstate() != self.seen
        return super()._act(action)


@says("seeds differ: seeds (0, 1, 2) all begin alike; draw from the rng of _begin, or pass single_task=True")
class OneStart(LongCorridor):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.cell = 500
        return self._view()

    def _task(self) -> tuple[str, str]:
        return f"corridor-{self.episode_seed}", "Reach the end."


ONE_START = "agentgym_critic_tests/OneStart-v0"
if ONE_START not in gymnasium.registry:
    gymnasium.register(ONE_START, entry_point=OneStart, order_enforce=False, disable_env_checker=True)


# ---------------------------------------------------------------------- Keeping a moment


class BoxedCell(LongCorridor):
    """Keeps its state in a list."""

    def __init__(self) -> None:
        self.box = [0]
        super().__init__()

    @property
    def cell(self) -> int:  # type: ignore[override]
        return self.box[0]

    @cell.setter
    def cell(self, cell: int) -> None:
        self.box[0] = cell


@says("snapshots: after 0 steps of seed 0: restored once, the info was {'state_key': ")
class SharedSnapshot(BoxedCell):
    def _get_world(self) -> Any:
        return self.box

    def _set_world(self, world: Any) -> None:
        self.box = world


@says("snapshots: after 10 steps of seed 1: restored once, the info was {'state_key': ")
class ForgetfulSnapshot(LongCorridor):
    def _set_world(self, world: int) -> None:
        self.cell = world + 1


@says("snapshots: after 0 steps of seed 2: taking a snapshot changed something: the info was {'state_key': ")
class SnapshotMoves(LongCorridor):
    def _get_world(self) -> int:
        self.cell += 1
        return self.cell


@says("snapshots of the end: after going back and forth the info was {'admissible_actions': ")
class StaysOver(CorridorEnv):
    def restore(self, snapshot: Any) -> None:
        running = self._running
        super().restore(snapshot)
        self._running = running


@says("current: the info was {'calls': 1} and then {'calls': 2} (returned, and told by current());")
class CountsCalls(LongCorridor):
    calls = 0

    def _info(self) -> dict[str, Any]:
        self.calls += 1
        return {**super()._info(), "calls": self.calls}


@says("pickle: it raised TypeError: cannot pickle '_thread.lock' object; define __getstate__, or pass make")
class HoldsALock(LongCorridor):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


@says("pickle round trip: in the copy the info was {'admissible_actions': ")
class LosesItsCell(LongCorridor):
    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, cell=0)


@says("pickle round trip: going on with the copy: the observation of step 1 was ")
class LosesItsSpeed(LongCorridor):
    speed = 1

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.speed = 2
        return super()._begin(rng, options)

    def _act(self, action: str) -> Outcome:
        self.cell += self.speed - 1
        return super()._act(action)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, speed=1)


@says("close: closing it twice raised RuntimeError: closed already; let the second close do nothing")
class ClosesOnce(LongCorridor):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


@says("close: after close these threads are alive: 'left behind'; end them in close")
class LeavesAThread(LongCorridor):
    stop = threading.Event()

    def _act(self, action: str) -> Outcome:
        threading.Thread(target=self.stop.wait, name="left behind", daemon=True).start()
        return super()._act(action)


# ---------------------------------------------------------------------- The oracle


@says("oracle is an oracle: it returned a str; return agentgym_critic.types.Oracle, or None")
class SaysRight(LongCorridor):
    def oracle(self) -> Any:
        return "right"


@says("oracle keeps its promise: seed 0: the task ended 1 steps before it promised; count the steps right")
class CountsOneMore(CorridorEnv):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=told.actions, steps_left=told.steps_left + bool(told.actions))


@says("oracle keeps its promise: seed 0: following it to the end was no success; its actions lead to success")
class CountsOneLess(CorridorEnv):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=told.actions, steps_left=max(told.steps_left - 1, 0))


@says("oracle keeps its promise: seed 1: with 2 steps left to promise, it said Oracle(actions=(), steps_left=2")
class GivesUpHalfway(CorridorEnv):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=() if told.steps_left == 2 else told.actions, steps_left=told.steps_left)


@says("oracle keeps its promise: seed 0: it names ['RIGHT'], which is not admissible; name legal actions only")
class Shouts(CorridorEnv):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=tuple(action.upper() for action in told.actions), steps_left=told.steps_left)


@says("oracle keeps its promise: seed 0: after success it said None; say Oracle(actions=(), steps_left=0)")
class SilentAfterSuccess(CorridorEnv):
    def oracle(self) -> Any:
        return None if self._success else super().oracle()


class Shortcut(CorridorEnv):
    """A corridor with a faster way on."""

    def _admissible(self) -> list[str]:
        return ["jump", *super()._admissible()]

    def _act(self, action: str) -> Outcome:
        if action == "jump":
            self.cell = min(self.cell + 1, self.length - 3)
        return super()._act("right" if action == "jump" else action)


@says("exact oracle is exact: seed 0: it promised 5 steps, but 3 after 'jump'; find the shortest, or set exact=False")
class OverlooksTheShortcut(Shortcut):
    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.cell = 0
        return self._view()


@says("exact oracle is exact: seed 0: it leaves out 'jump', after which it needs ")
class NamesOneOfTwo(Shortcut):
    def _act(self, action: str) -> Outcome:
        return CorridorEnv._act(self, "right" if action == "jump" else action)


@says("exact oracle is exact: seed 0: it promised 1, but 2 after 'left'; find the best, or set exact=False")
class ValuesTooLittle(LongCorridor):
    def oracle(self) -> Oracle:
        moved_left = self._steps_taken == 1 and self.cell < self.start
        return Oracle(actions=("right",), steps_left=super().oracle().steps_left, value=1.0 + moved_left)

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        text = super()._begin(rng, options)
        self.start = self.cell
        return text


@says("exact oracle is exact: seed 0: it names 'left', after which 0 has become -1; name the best only")
class NamesTheWorse(ValuesTooLittle):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=("left", "right"), steps_left=told.steps_left, value=1.0 - (told.value or 0))


@says("exact oracle is exact: seed 0: it names 'left' with ")
class NamesEverything(LongCorridor):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=(*told.actions, "left"), steps_left=told.steps_left)


@says("oracle keeps its promise: seed 0: it names ['RIGHT'], which is not admissible; name legal actions only")
class ShoutsAndHedges(CorridorEnv):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=tuple(action.upper() for action in told.actions), steps_left=7, certain=False)


class Lottery(CorridorEnv):
    """A corridor with a prize for leaving it at once, known to the oracle."""

    def _admissible(self) -> list[str]:
        return ["leave", *super()._admissible()]

    def _act(self, action: str) -> Outcome:
        self.left = action == "leave"
        return Outcome("Bye.", 0.25, True, True) if self.left else super()._act(action)

    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=told.actions, steps_left=told.steps_left, value=self.worth(told))

    def worth(self, told: Oracle) -> float:
        """The prize."""
        return 0.25 if getattr(self, "left", False) else 1.0


@says("exact oracle is exact: seed 0: it names 'leave', after which 1 has become 0.25; name the best only")
class TakesTheFirstPrize(Lottery):
    def oracle(self) -> Oracle:
        told = super().oracle()
        return Oracle(actions=("leave", *told.actions), steps_left=told.steps_left, value=told.value)


@says("exact oracle is exact: seed 0: it promised 0.5, but 1 after 'right'; find the best, or set exact=False")
class KnowsTooLate(Lottery):
    def worth(self, told: Oracle) -> float:
        """Less than there is, before the first step."""
        return 1.0 if self._steps_taken else 0.5


@says("oracle changes nothing: seed 0: with oracle() called before each step the ")
class OracleWalks(LongCorridor):
    def oracle(self) -> Oracle:
        self.cell += 1
        return super().oracle()


# ---------------------------------------------------------------------- What only thousands of episodes show


class Leaky(CorridorEnv):
    """Keeps a kilobyte of each episode."""

    kept: list[bytes] = []

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.kept.append(rng.bytes(1000))
        return super()._begin(rng, options)


LEAKY = "agentgym_critic_tests/Leaky-v0"
if LEAKY not in gymnasium.registry:
    gymnasium.register(LEAKY, entry_point=Leaky, order_enforce=False, disable_env_checker=True)
