"""Does step-level credit learn faster than the outcome alone? One JSON file, resumable, and one JSON line.

    python benchmarks/train_credit.py [--out benchmarks/results/train_credit.json] [--work FOLDER] [--seeds 5]
        [--games sokoban frozenlake taxi] [--credits outcome gigpo hindsight monte-carlo sum] [--iterations 60]

A `TextRanker` clones a few demonstrations for a weak start; from there each credit trains it by policy gradient on
the same tasks, with the same seeds and settings. Success on tasks it never trains on is measured as environment
steps go by; those that the Monte-Carlo critic plays in the simulator count. `speedup` is the steps outcome-only credit
needs to its final success, divided by those another credit needs to that success; above 2 is what is aimed for.

What is done is kept after every iteration, in the work folder: the same command goes on where it was killed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from agentgym_critic.critics.monte_carlo import MonteCarloCritic
from agentgym_critic.envs import make_env
from agentgym_critic.evaluation import score_policy
from agentgym_critic.files import whole_file
from agentgym_critic.loop import run_episode
from agentgym_critic.training import (
    CHECKPOINT,
    Dagger,
    DaggerSettings,
    GradientSettings,
    Judges,
    Learner,
    OracleExpert,
    PolicyGradient,
    RankerAgent,
    RankerSettings,
    TextRanker,
    find_signal,
    fit,
)

TESTED_FROM = 1_000_000
SHAPE = RankerSettings(buckets=1 << 13, width=32, hidden=64)


class Game(NamedTuple):
    """A game and the weak start on it."""

    env: str
    settings: dict[str, Any]
    demonstrations: int
    horizon: int
    """Of Monte-Carlo rollouts."""


GAMES = {
    "sokoban": Game("agentgym_critic/Sokoban-v0", {"max_steps": 25}, 20, 25),
    "frozenlake": Game(
        "agentgym_critic/FrozenLake-v0", {"map": "random", "size": 5, "is_slippery": False, "max_steps": 25}, 10, 25
    ),
    "taxi": Game("agentgym_critic/Taxi-v0", {"max_steps": 40}, 10, 40),
}


def weak_start(game: Game, seed: int, folder: Path) -> Path:
    """The file of a ranker that cloned a few demonstrations; made once for all credits."""
    settings = DaggerSettings(
        episodes=game.demonstrations, expert_share=(1.0,), epochs=5, first_seed=500_000, seed=seed
    )
    ranker = TextRanker(RankerSettings(**{**_fields(SHAPE), "seed": seed}))
    fit(Dagger(Learner(ranker), maker(game), OracleExpert(), settings), folder, 1, resume=True)
    return folder / CHECKPOINT


def train(game: Game, credit: str, seed: int, args: argparse.Namespace, folder: Path) -> list[dict[str, float]]:
    learner = Learner(TextRanker.load(weak_start(game, seed, folder / "start")))
    settings = GradientSettings(
        groups=8, group_size=8, seeds=args.tasks, learning_rate=args.learning_rate, entropy=0.01, seed=seed
    )
    signal = find_signal(credit)
    judges = Judges(
        critic=MonteCarloCritic(rollouts=4, horizon=game.horizon, seed=seed) if signal.before else None,
        hindsight="outcome" if signal.hindsight else None,
    )
    trainer = PolicyGradient(learner, maker(game), signal, settings, judges)
    evaluate = partial(tested, game, args.test_episodes)
    start = evaluate(learner)
    curve = fit(
        trainer, folder / credit, args.iterations, resume=True, evaluate=evaluate, evaluate_every=args.evaluate_every
    )
    return [{"env_steps": 0, **{f"eval_{name}": value for name, value in start.items()}}, *curve]


def tested(game: Game, episodes: int, learner: Learner) -> dict[str, float]:
    env, agent = maker(game)(), RankerAgent(learner.ranker)
    seeds = range(TESTED_FROM, TESTED_FROM + episodes)
    score = score_policy([run_episode(env, agent, seed=seed) for seed in seeds])
    return {"success": score.successes / score.episodes, "return": score.episode_return, "steps": score.steps}


def maker(game: Game) -> Callable[[], Any]:
    return partial(make_env, game.env, **game.settings)


def points(curve: list[dict[str, float]]) -> list[tuple[int, float]]:
    """Environment steps so far and success, where it was measured."""
    steps = np.cumsum([row["env_steps"] for row in curve])
    return [(int(at), row["eval_success"]) for at, row in zip(steps, curve, strict=True) if "eval_success" in row]


def reached(curve: list[tuple[int, float]], success: float) -> int | None:
    """Steps to the first measurement at least as good."""
    return next((steps for steps, value in curve if value >= success), None)


def summary(curves: dict[str, list[list[tuple[int, float]]]]) -> dict[str, Any]:
    """For each credit its final success, and the speedup over outcome-only credit for each seed."""
    told = {}
    for credit, seeds in curves.items():
        finals = [curve[-1][1] for curve in seeds]
        own: dict[str, Any] = {"final": interval(finals)}
        if "outcome" in curves:
            pairs = list(zip(curves["outcome"], seeds, strict=True))
            own["speedup"] = [speedup(outcome, curve) for outcome, curve in pairs]
        told[credit] = own
    return told


def speedup(outcome: list[tuple[int, float]], curve: list[tuple[int, float]]) -> float | None:
    """None if the outcome's final success is never reached."""
    target = outcome[-1][1]
    base, own = reached(outcome, target), reached(curve, target)
    if base is None or own is None:
        return None
    return round(base / own, 3) if own else None if base else 1.0


def interval(values: list[float]) -> dict[str, float]:
    """Mean and Student's 95 % interval over seeds."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return {"mean": mean}
    quantile = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}.get(len(values), 1.96)
    half = quantile * statistics.stdev(values) / len(values) ** 0.5
    return {"mean": round(mean, 4), "low": round(mean - half, 4), "high": round(mean + half, 4)}


def write(out: Path, args: argparse.Namespace, results: dict[str, Any], seconds: float) -> dict[str, Any]:
    settings = {name: value for name, value in vars(args).items() if name not in ("out", "work")}
    result = {"benchmark": "train_credit", "settings": settings, "games": results, "seconds": round(seconds, 1)}
    with whole_file(out, overwrite=True) as draft:
        draft.write_text(json.dumps(result, indent=1) + "\n")
    return result


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/train_credit.json"))
    parser.add_argument("--work", type=Path, required=True, help="folder of checkpoints")
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument(
        "--credits", nargs="+", default=["outcome", "gigpo", "hindsight", "monte-carlo", "sum"], metavar="CREDIT"
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--tasks", type=int, default=200, help="different tasks to train on")
    parser.add_argument("--test-episodes", type=int, default=100)
    parser.add_argument("--evaluate-every", type=int, default=3)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    started, results = time.monotonic(), {}
    for name in args.games:
        curves: dict[str, list[list[tuple[int, float]]]] = {credit: [] for credit in args.credits}
        for seed in range(args.seeds):
            for credit in args.credits:
                curve = train(GAMES[name], credit, seed, args, args.work / name / str(seed))
                curves[credit].append(points(curve))
                print(json.dumps({"game": name, "seed": seed, "credit": credit, "last": curve[-1]}), flush=True)
            results[name] = {"curves": curves, "summary": summary(curves)}
            result = write(args.out, args, results, time.monotonic() - started)
    told = {name: own["summary"] for name, own in result["games"].items()}
    print(json.dumps({"benchmark": "train_credit", "seconds": result["seconds"], "games": told}))


if __name__ == "__main__":
    main()
