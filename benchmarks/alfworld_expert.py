"""How often the household expert solves ALFWorld's games: one JSON line.

    ALFWORLD_DATA=… python benchmarks/alfworld_expert.py [--split valid_train] [--games 200] [--random-steps 0]

Plays each game of the split once (`--games` of them, in the order of the seeds), 50 steps at
most. With `--random-steps` that many random legal actions come first, and the expert then has 50
steps of its own: how good its labels are in states it would not have come to. Games that the random
actions won are left out and counted. Of the games not solved, `dead_ends` are those that the
environment's oracle knows no way out of; only this count asks it. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from typing import Any, NamedTuple

from agentgym_critic.agents import Agent, HouseholdExpert, RandomAgent
from agentgym_critic.critics.intervals import share_range
from agentgym_critic.envs import make_env
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Action, Turn

ENV = "agentgym_critic/ALFWorld-v0"
LIMIT = 50


class RandomFirst:
    """Plays at random for some steps, then leaves the game to another agent."""

    def __init__(self, steps: int, then: Agent) -> None:
        self._steps, self._random, self._then = steps, RandomAgent(), then
        self.id = f"random-first({steps}, {then.id})"

    def reset(self, seed: int) -> None:
        self._random.reset(seed)
        self._then.reset(seed)

    def propose(self, turn: Turn) -> Action:
        return (self._random if turn.index < self._steps else self._then).propose(turn)


class Played(NamedTuple):
    """How a game went."""

    task_type: str
    solved: bool
    steps: int
    """Of the expert."""
    dead_end: bool
    invalid: int


def play(env: Any, agent: Agent, random_steps: int, seed: int) -> Played:
    episode = run_episode(env, agent, seed=seed)
    dead = not episode.success and _hopeless(env, [step.action.text for step in episode.steps], seed)
    invalid = sum(step.invalid_action for step in episode.steps)
    steps = len(episode.steps) - random_steps
    return Played(episode.task_id.partition("-")[0], episode.success, steps, dead, invalid)


def _hopeless(env: Any, actions: list[str], seed: int) -> bool:
    """Whether the oracle knows no way to success just before the last of these actions."""
    env.reset(seed=seed)
    for action in actions[:-1]:
        env.step(action)
    return env.unwrapped.oracle() is None


def summary(played: list[Played]) -> dict[str, Any]:
    solved = [game.steps for game in played if game.solved]
    low, high = share_range(len(solved), len(played)) if played else (0.0, 1.0)
    return {
        "games": len(played),
        "solved": len(solved),
        "success": round(len(solved) / len(played), 4) if played else None,
        "interval": [round(low, 4), round(high, 4)],
        "mean_steps_of_solved": round(statistics.fmean(solved), 2) if solved else None,
        "most_steps_of_solved": max(solved, default=None),
        "dead_ends": sum(game.dead_end for game in played),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", default="valid_train")
    parser.add_argument("--engine", help="the environment's default if not given")
    parser.add_argument("--games", type=int, help="all of the split if not given")
    parser.add_argument("--seed", type=int, default=0, help="of the first game; the next ones follow")
    parser.add_argument("--random-steps", type=int, default=0)
    args = parser.parse_args()
    settings = {"engine": args.engine} if args.engine else {}
    env = make_env(ENV, split=args.split, max_steps=LIMIT + args.random_steps, **settings)
    expert = HouseholdExpert()
    agent: Agent = RandomFirst(args.random_steps, expert) if args.random_steps else expert
    ids = env.get_wrapper_attr("game_ids")
    if not ids and not args.games:
        parser.error(f"the split {args.split} has no end; say how many --games")
    games = args.games or len(ids)
    started = time.perf_counter()
    played = [play(env, agent, args.random_steps, seed) for seed in range(args.seed, args.seed + games)]
    by_type: dict[str, list[Played]] = defaultdict(list)
    for game in played:
        if game.steps > 0:
            by_type[game.task_type].append(game)
    result = {
        "benchmark": "alfworld_expert",
        "split": args.split,
        "engine": env.get_wrapper_attr("env_version"),
        "agent": agent.id,
        "seed": args.seed,
        "max_steps": LIMIT,
        "random_steps": args.random_steps,
        "won_by_chance": sum(game.steps <= 0 for game in played),
        "invalid_actions": sum(game.invalid for game in played),
        "by_type": {name: summary(games) for name, games in sorted(by_type.items())},
        "overall": summary([game for game in played if game.steps > 0]),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
