"""A `TextRanker` learns ALFWorld on two processor cores: one JSON file, resumable, and one JSON line.

    ALFWORLD_DATA=… python benchmarks/train_alfworld.py --out FOLDER [--minutes 60] [--final]

The partial-observation expert is cloned on train games, then asked while the ranker plays (DAgger), then the
ranker learns from its own episodes (policy gradient with step-level credit, by `--credit`). While it learns it is
measured on train games that it does not learn from. `--final` measures it once on all games of valid_seen
and valid_unseen, 50 steps each, by type of task; without it these are not touched.

A run that was killed goes on where it was when the same command is given again. The minutes are those of learning
and of the measurements on the way, over all starts; the last iteration may end after them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch

from agentgym_critic.agents import HouseholdExpert
from agentgym_critic.envs import make_env
from agentgym_critic.evaluation import PolicyScore, score_policy
from agentgym_critic.files import whole_file
from agentgym_critic.loop import run_episode
from agentgym_critic.training import (
    AgentExpert,
    Dagger,
    DaggerSettings,
    GradientSettings,
    Judges,
    Learner,
    PolicyGradient,
    RankerAgent,
    TextRanker,
    find_signal,
    fit,
)

ENV, MAX_STEPS = "agentgym_critic/ALFWorld-v0", 50
HELD_OUT = 100
"""The last train games, in the order of the seeds, are not learnt from."""


def measure(learner: Learner, split: str, seeds: range) -> PolicyScore:
    env = make_env(ENV, split=split, max_steps=MAX_STEPS)
    agent = RankerAgent(learner.ranker)
    return score_policy([run_episode(env, agent, seed=seed) for seed in seeds])


def held_out(games: int, learner: Learner) -> dict[str, float]:
    score = measure(learner, "train", range(games - HELD_OUT, games))
    return {"success": score.successes / score.episodes, "steps": score.steps}


def learn(args: argparse.Namespace, out: Path) -> tuple[Learner, list[dict[str, Any]]]:
    make = partial(make_env, ENV, split="train", max_steps=MAX_STEPS)
    games = len(make().get_wrapper_attr("game_ids"))
    learner, evaluate = Learner(TextRanker()), partial(held_out, games)
    rows: list[dict[str, Any]] = []
    clock = Clock(out / "seconds.json", 60 * args.minutes)
    dagger = DaggerSettings(
        episodes=args.episodes,
        seeds=games - HELD_OUT,
        expert_share=(1.0, 1.0, 0.5, 0.2, 0.0),
        epochs=2,
        learning_rate=1e-3,
        seed=args.seed,
    )
    gradient = GradientSettings(
        groups=16, group_size=8, seeds=games - HELD_OUT, learning_rate=1e-4, epochs=1, seed=args.seed
    )
    judges = Judges(hindsight="outcome")
    for name, trainer, iterations in (
        ("dagger", Dagger(learner, make, AgentExpert(HouseholdExpert()), dagger), args.dagger),
        ("gradient", PolicyGradient(learner, make, find_signal(args.credit), gradient, judges), args.gradient),
    ):
        stage = partial(clock.told, name)
        own = fit(
            trainer, out / name, iterations, resume=True, evaluate=evaluate, on_metrics=stage, seconds=clock.left()
        )
        rows += [{"stage": name, **row} for row in own]
    return learner, rows


class Clock:
    """Seconds of learning over all starts."""

    def __init__(self, path: Path, most: float) -> None:
        self._path, self._most, self._started = path, most, time.monotonic()
        self._before = json.loads(path.read_text())["seconds"] if path.exists() else 0.0

    @property
    def seconds(self) -> float:
        return float(self._before) + time.monotonic() - self._started

    def left(self) -> float:
        return max(0.0, self._most - self.seconds)

    def told(self, stage: str, metrics: dict[str, float]) -> None:
        self._path.write_text(json.dumps({"seconds": self.seconds}))
        print(json.dumps({"stage": stage, "seconds": round(self.seconds, 1), **metrics}), flush=True)


def final(learner: Learner) -> dict[str, Any]:
    splits = {}
    for split in ("valid_seen", "valid_unseen"):
        count = len(make_env(ENV, split=split).get_wrapper_attr("game_ids"))
        splits[split] = msgspec.to_builtins(measure(learner, split, range(count)))
    return splits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of checkpoints and result.json")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--episodes", type=int, default=150, help="of each DAgger iteration")
    parser.add_argument("--dagger", type=int, default=20, help="iterations")
    parser.add_argument("--gradient", type=int, default=20, help="iterations")
    parser.add_argument("--credit", default="hindsight", help="outcome, gigpo or hindsight")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--final", action="store_true", help="measure on valid_seen and valid_unseen, once")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    learner, rows = learn(args, args.out)
    result = {
        "benchmark": "train_alfworld",
        "settings": {name: value for name, value in vars(args).items() if name != "out"},
        "cores": os.cpu_count(),
        "seconds": json.loads((args.out / "seconds.json").read_text())["seconds"],
        "env_steps": sum(row["env_steps"] for row in rows),
        "held_out_train_games": HELD_OUT,
        "curve": rows,
        "final": final(learner) if args.final else None,
    }
    with whole_file(args.out / "result.json", overwrite=True) as draft:
        draft.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({name: value for name, value in result.items() if name != "curve"}))


if __name__ == "__main__":
    main()
