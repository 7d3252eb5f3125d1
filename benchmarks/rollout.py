"""Recorded steps a second of the whole loop, on one core, and where the time goes.

A scripted agent plays Sokoban; a rule critic judges every step before, the outcome critic
afterwards; memory bank and run store are on disk. Prints one line of JSON::

    python benchmarks/rollout.py

`steps_per_second` counts what the issue counts: the steps in the store over the wall time of
`collect`. `with_recall` is the same with a critic that recalls two experiences of each kind at
every step. `share` is each stage's part of the time, measured by timing every call in a run of
its own.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import agentgym_critic as agc
from agentgym_critic.agents import ScriptedAgent
from agentgym_critic.critics import OutcomeHindsightCritic, RuleCritic

ENV = partial(agc.make_env, "agentgym_critic/Sokoban-v0", size=6, boxes=1, max_steps=40)
SCRIPT = ["up", "left", "down", "right", "up", "up", "right", "down"] * 5


class RecallingRuleCritic(RuleCritic):
    """The rule critic, shown what the bank recalls (which it does not read)."""

    recall_k = 2


class Stopwatch:
    """Adds up the time spent in wrapped methods, nested ones counted once."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner = 0.0

    def wrap(self, owner: Any, method: str, stage: str) -> None:
        """Time every call of `owner.method` as part of `stage`."""
        original = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            outer, self._inner = self._inner, 0.0
            started = time.perf_counter()
            try:
                return original(*args, **kwargs)
            finally:
                spent = time.perf_counter() - started
                self.seconds[stage] = self.seconds.get(stage, 0.0) + spent - self._inner
                self._inner = outer + spent

        setattr(owner, method, timed)


def play(episodes: int, critic: RuleCritic, watch: Stopwatch | None = None) -> tuple[int, float]:
    """Collect; returns the steps in the store and the seconds it took."""
    hindsight = OutcomeHindsightCritic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with agc.RunStore(path / "a.db") as store, agc.MemoryBank(path / "bank.db") as bank:
            make_env: Callable[[], Any] = ENV
            if watch:
                make_env = partial(_watched, watch)
                for owner, method, stage in (
                    (critic, "judge", "critic before"),
                    (hindsight, "review", "critic in hindsight"),
                    (bank, "recall", "recall"),
                    (bank, "remember", "remember"),
                    (store, "save", "store"),
                ):
                    watch.wrap(owner, method, stage)
            started = time.perf_counter()
            agc.collect(
                make_env,
                partial(ScriptedAgent, SCRIPT),
                store,
                episodes=episodes,
                critic=critic,
                hindsight=hindsight,
                bank=bank,
            )
            seconds = time.perf_counter() - started
            return sum(len(trajectory.steps) for trajectory in store.trajectories()), seconds


def _watched(watch: Stopwatch) -> Any:
    env = ENV()
    watch.wrap(env, "reset", "environment reset")
    watch.wrap(env, "step", "environment step")
    return env


def main() -> None:
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    play(10, RuleCritic())  # warm up
    rates = sorted(steps / seconds for steps, seconds in (play(episodes, RuleCritic()) for _ in range(3)))
    steps, seconds = play(episodes, RecallingRuleCritic())
    watch = Stopwatch()
    _, watched = play(episodes, RuleCritic(), watch)
    share = {stage: round(spent / watched, 3) for stage, spent in sorted(watch.seconds.items())}
    share["loop and agent"] = round(1 - sum(share.values()), 3)
    result = {
        "benchmark": "rollout",
        "episodes": episodes,
        "steps": steps,
        "steps_per_second": round(rates[1]),
        "steps_per_second_min_max": [round(rates[0]), round(rates[2])],
        "aim": 2000,
        "with_recall": round(steps / seconds),
        "share": share,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
