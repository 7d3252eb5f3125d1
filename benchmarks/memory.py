"""Speed of the memory bank against its size: one JSON line.

Household-like episodes of 30 steps are remembered until the bank has each size; then recalls for
steps it has not seen are timed, each with a state of its own. `python benchmarks/memory.py`
takes under a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Action, Step, Trajectory, Turn, Verdict

STEPS = 30
PLACES = ["cabinet", "drawer", "shelf", "sidetable", "countertop", "desk", "fridge", "microwave", "sinkbasin", "bed"]
THINGS = ["mug", "apple", "book", "pen", "plate", "knife", "lamp", "pillow", "candle", "watch", "egg", "towel"]


def observation(rng: random.Random, place: str) -> str:
    things = ", a ".join(f"{rng.choice(THINGS)} {rng.randint(1, 5)}" for _ in range(rng.randint(1, 6)))
    return f"You arrive at {place}. On the {place}, you see a {things}. You are holding nothing."


def step(rng: random.Random, index: int, seen: str) -> Step:
    place = f"{rng.choice(PLACES)} {rng.randint(1, 20)}"
    return Step(
        index=index,
        observation=seen,
        action=Action(text=f"go to {place}"),
        next_observation=observation(rng, place),
        reward=0.0,
        hindsight=Verdict(p=rng.choice([0.0, 1 / 3, 2 / 3, 1.0]), critic="benchmark"),
    )


def trajectory(rng: random.Random, number: int) -> Trajectory:
    steps: list[Step] = []
    for index in range(STEPS):
        steps.append(step(rng, index, steps[-1].next_observation if steps else observation(rng, "desk 1")))
    goal = f"put a {rng.choice(THINGS)} in the {rng.choice(PLACES)}"
    return Trajectory(
        id=f"t{number}", env_id="benchmark", task_id=goal, task=goal, seed=number, steps=tuple(steps), end="success",
        stream_position=number,
    )  # fmt: skip


def remember(bank: MemoryBank, rng: random.Random, size: int) -> list[float]:
    """Fill the bank up to `size` experiences; microseconds a step of each trajectory."""
    times = []
    while (number := bank.position) * STEPS < size:
        lesson = trajectory(rng, number)
        start = time.perf_counter()
        added = bank.remember(lesson)
        times.append((time.perf_counter() - start) / added * 1e6)
    return times


def recall(bank: MemoryBank, rng: random.Random, queries: int) -> list[float]:
    """Milliseconds of each recall (two experiences of each polarity)."""
    times = []
    for _ in range(queries):
        place = f"{rng.choice(PLACES)} {rng.randint(1, 20)}"
        turn = Turn(task="put a mug in the fridge", observation=observation(rng, place))
        start = time.perf_counter()
        bank.recall(turn, Action(text=f"go to {place}"), 2, before=bank.position - 1)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    rng = random.Random(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder, MemoryBank(Path(folder) / "bank.db") as bank:
        for size in sorted(options.sizes):
            written = remember(bank, rng, size)
            recall(bank, rng, 20)
            read = recall(bank, rng, options.queries)
            rows.append({
                "experiences": bank.stats().experiences,
                "remember_us_per_step": round(statistics.mean(written), 1),
                "recall_ms_median": round(statistics.median(read), 3),
                "recall_ms_p95": round(statistics.quantiles(read, n=20)[-1], 3),
                "bytes_per_experience": bank.stats().bytes // bank.stats().experiences,
            })  # fmt: skip
    print(json.dumps({"benchmark": "memory", "steps_per_trajectory": STEPS, "dim": 256, "sizes": rows}))


if __name__ == "__main__":
    main()
