"""Speed of Sokoban on one core: one JSON line.

    python benchmarks/sokoban.py [--episodes 2000]

Plays levels of 6 x 6 with one box, each seed once, `reset` included: by a random player until
success or the step limit of 50 (most of these episodes are long), and by the oracle (the
shortest possible episodes, in which generating the level weighs most). Rates are steps per second
of processor time, and of wall time where the name says so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable

from agentgym_critic.envs.sokoban import SokobanEnv

Player = Callable[[SokobanEnv, list[str]], str]
RNG = random.Random(0)
SNAPSHOTS = 20_000


def randomly(env: SokobanEnv, admissible: list[str]) -> str:
    return RNG.choice(admissible)


def by_oracle(env: SokobanEnv, admissible: list[str]) -> str:
    known = env.oracle()
    assert known
    return known.actions[0]


def play(env: SokobanEnv, player: Player, episodes: int) -> int:
    """Plays the seeds from 0 on; returns the steps taken."""
    steps = 0
    for seed in range(episodes):
        _, info = env.reset(seed=seed)
        while info["admissible_actions"]:
            *_, info = env.step(player(env, info["admissible_actions"]))
            steps += 1
    return steps


def rates(env: SokobanEnv, player: Player, episodes: int) -> dict[str, float]:
    wall, used = time.perf_counter(), time.process_time()
    steps = play(env, player, episodes)
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return {
        "steps": steps,
        "steps_per_episode": round(steps / episodes, 1),
        "steps_per_second": round(steps / used),
        "steps_per_second_wall": round(steps / wall),
    }


def reset_ms(env: SokobanEnv, episodes: int) -> dict[str, float]:
    times = []
    for seed in range(episodes):
        started = time.perf_counter()
        env.reset(seed=seed)
        times.append(1000 * (time.perf_counter() - started))
    cuts = statistics.quantiles(times, n=100)
    return {"median": round(cuts[49], 3), "p99": round(cuts[98], 3)}


def each_us(call: Callable[[], object]) -> float:
    """Microseconds of processor time of a call."""
    started = time.process_time()
    for _ in range(SNAPSHOTS):
        call()
    return round(1e6 * (time.process_time() - started) / SNAPSHOTS, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=2000)
    episodes = parser.parse_args().episodes
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    env = SokobanEnv(size=6, boxes=1)
    play(env, randomly, 50)  # warm up
    result = {
        "benchmark": "sokoban",
        "size": "6x6",
        "boxes": 1,
        "episodes": episodes,
        "aim_steps_per_second": 10_000,
        "random": rates(env, randomly, episodes),
        "oracle": rates(env, by_oracle, episodes),
        "reset_ms": reset_ms(env, episodes),
        "reset_ms_8x8_3_boxes": reset_ms(SokobanEnv(size=8, boxes=3), max(2, episodes // 20)),
    }
    env.reset(seed=0)
    saved = env.snapshot()
    result |= {"snapshot_us": each_us(env.snapshot), "restore_us": each_us(lambda: env.restore(saved))}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
