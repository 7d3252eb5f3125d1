"""Rules about keeping a moment: `snapshot` and `restore`, `current`, pickle, `close`."""

from __future__ import annotations

import pickle
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks.bench import Bench, Moment, Rule, changed, compare, go_on, play, shown

__all__ = ["RULES"]

_PATIENCE_S = 2.0
"""How long a thread may take to end after `close`."""


def snapshots(bench: Bench) -> Iterator[str]:
    """From a restored moment the same actions give the same results, every time."""
    for seed in bench.seeds:
        for steps in (0, bench.steps // 3):
            with bench.fresh() as env:
                last = list(play(env, seed, steps))[-1]
                if not last.over:
                    yield from (
                        f"after {steps} steps of seed {seed}: {text}" for text in _inexact(env, bench.steps, seed)
                    )


def snapshots_of_the_end(bench: Bench) -> Iterator[str]:
    """A moment can be restored from the end of the episode, and the end from a moment."""
    with bench.fresh() as env:
        env.reset(seed=bench.seeds[0])
        start, before = env.snapshot(), env.current()
        list(go_on(env, before[1], bench.steps, random.Random(0)))  # noqa: S311 -- no secret
        end, after = env.snapshot(), env.current()
        for saved, expected in ((start, before), (end, after)):
            env.restore(saved)
            if problem := changed(expected, env.current()):
                yield f"after going back and forth {problem}; put the whole state into the snapshot"


def current(bench: Bench) -> Iterator[str]:
    """`current` tells what `reset` or `step` has just returned."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            for moment in play(env, seed, bench.steps):
                if problem := changed((moment.observation, moment.info), env.current()):
                    yield f"{problem} (returned, and told by current()); let both come from the same place"
                    break


def pickle_round_trip(bench: Bench) -> Iterator[str]:
    """A copy made by pickle in mid-episode goes on identically."""
    seed = bench.seeds[0]
    with bench.fresh() as env:
        last = list(play(env, seed, bench.steps // 3))[-1]
        with closing(pickle.loads(pickle.dumps(env))) as copy:  # noqa: S301 -- our own bytes
            if problem := changed(env.current(), copy.current()):
                yield f"in the copy {problem}; pickle the whole state"
            elif not last.over and (
                problem := compare(_ahead(env, bench.steps, seed), _ahead(copy, bench.steps, seed))
            ):
                yield f"going on with the copy: {problem}; pickle the whole state"


def close(bench: Bench) -> Iterator[str]:
    """It may be closed twice, and ends its threads."""
    before = set(threading.enumerate())
    with bench.fresh() as env:
        list(play(env, bench.seeds[0], 2))
        env.close()
        try:
            env.close()
        except Exception as error:
            yield f"closing it twice raised {type(error).__name__}: {error}; let the second close do nothing"
    if left := _threads_left(before):
        yield f"after close these threads are alive: {', '.join(left)}; end them in close"


def _inexact(env: TextEnv, steps: int, seed: int) -> Iterator[str]:
    before = env.current()
    saved = env.snapshot()
    if problem := changed(before, env.current()):
        yield f"taking a snapshot changed something: {problem}; only read in _get_world"
    ahead = _ahead(env, steps, seed)
    for time_restored in ("once", "twice"):
        env.restore(saved)
        if problem := changed(before, env.current()):
            yield f"restored {time_restored}, {problem}; put the whole state into the snapshot"
        elif problem := compare(ahead, _ahead(env, steps, seed)):
            yield f"going on, restored {time_restored}: {problem}; put the whole state into the snapshot, copied"


def _ahead(env: TextEnv, steps: int, seed: int) -> list[Moment]:
    return list(go_on(env, env.current()[1], steps, random.Random(seed)))  # noqa: S311 -- no secret


def _threads_left(before: set[threading.Thread]) -> list[str]:
    deadline = time.monotonic() + _PATIENCE_S
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(max(0.0, deadline - time.monotonic()))
    return sorted(shown(thread.name) for thread in left if thread.is_alive())


RULES: tuple[Rule, ...] = (snapshots, snapshots_of_the_end, current, pickle_round_trip, close)
