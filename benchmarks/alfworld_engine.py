"""The native ALFWorld engine beside the reference, on the same games and actions: one JSON line.

    ALFWORLD_DATA=… python benchmarks/alfworld_engine.py [--games 12] [--steps 50] [--episodes 5]

The reference is played as its users play it, through textworld's Gym layer with ALFWorld's names,
admissible commands on; the native engine through the whole environment, `info` and state key
included. Both get the same random commands, which end no episode early. Rates are per second of
processor time on one core; resets are medians. A native game costs most in its first episode,
while its commands and texts are worked out; that episode and the later ones are told apart.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import logging
import random
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from resident import resident

from agentgym_critic.envs import make_env
from agentgym_critic.envs.alfworld.files import TASK_TYPES, Game, find_games, read_game
from agentgym_critic.envs.alfworld.native.worlds import world_of

SPLIT = "valid_unseen"
ENV = "agentgym_critic/ALFWorld-v0"

PARTS = {
    "parse texts": ("/tatsu/", "/textgen/", "/re/"),
    "copy contexts": ("/copy.py", "/copyreg.py"),
    "translate PDDL": ("/fast_downward/",),
    "facts": ("/textworld/",),
    "possible commands": ("/native/operators", "/native/ground", "/native/joins", "/native/effects", "/native/facts"),
    "texts": ("/native/speech", "/native/texts", "/native/reads", "/native/vocabulary"),
    "read the game": (
        "/native/pddl",
        "/native/lisp",
        "/native/grammar",
        "/native/symbols",
        "/native/reach",
        "/native/world",
        "/native/fluents",
        "/native/schemas",
        "/alfworld/files",
    ),
    "environment": ("/envs/base.py", "/alfworld/env.py", "/native/engine.py"),
}
"""Which files do what; time in built-in functions counts to none."""


def chosen(count: int) -> list[Game]:
    """Games of all task types in turn."""
    found = find_games(split=SPLIT)
    by_type = [[game for game in found.ids if game.startswith(kind)] for kind in TASK_TYPES]
    mixed = [games[turn] for turn in range(count) for games in by_type if turn < len(games)]
    return [read_game(found.folder, game) for game in mixed[:count]]


def walk(game: Game, steps: int, seed: int) -> list[str]:
    """Random commands that do not reach the goal, so that neither engine stops early."""
    rng, world, state = random.Random(f"{seed} {game.id}"), world_of(game), world_of(game).initial
    commands: list[str] = []
    while len(commands) < steps:
        possible = world.possible(state)
        command = rng.choice(sorted(possible))
        after = possible[command].applied(state)
        if not world.goal.reached(after):
            commands.append(command)
            state = after
    return commands


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.process_time()
    result = work()
    return time.process_time() - before, result


class Reference:
    """A game as textworld's Gym layer plays it."""

    def __init__(self, game: Game) -> None:
        import textworld
        import textworld.gym
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler

        infos = textworld.EnvInfos(won=True, admissible_commands=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            name = textworld.gym.register_games(
                [str(game.path)], infos, batch_size=1, asynchronous=False, wrappers=[AlfredDemangler()]
            )
            self.env = textworld.gym.make(name)

    def reset(self) -> str:
        return str(self.env.reset()[0][0])

    def play(self, commands: list[str]) -> list[Any]:
        seen = []
        for command in commands:
            texts, _, _, infos = self.env.step([command])
            seen.append((texts[0], infos["admissible_commands"][0]))
        return seen


class Native:
    """A game as our environment plays it."""

    def __init__(self, game: Game) -> None:
        self.env = make_env(ENV, split=SPLIT, game_id=game.id, max_steps=None)

    def reset(self) -> str:
        return str(self.env.reset()[0])

    def play(self, commands: list[str]) -> list[Any]:
        seen = []
        for command in commands:
            text, *_, info = self.env.step(command)
            seen.append((text, info["admissible_actions"]))
        return seen


def reference_speed(game: Game, walks: list[list[str]]) -> dict[str, Any]:
    player = Reference(game)
    first, _ = timed(player.reset)
    steps, seen = timed(lambda: player.play(walks[0]))
    again, _ = timed(player.reset)
    player.env.close()
    return {"first": first, "again": again, "steps": steps, "seen": seen}


def native_speed(game: Game, walks: list[list[str]]) -> dict[str, Any]:
    player = Native(game)
    first, _ = timed(player.reset)
    steps, seen = timed(lambda: player.play(walks[0]))
    later, again = 0.0, []
    for commands in walks[1:]:
        again.append(timed(player.reset)[0])
        later += timed(partial(player.play, commands))[0]
    return {"first": first, "again": statistics.median(again), "steps": steps, "later": later, "seen": seen}


def memory_per_env(count: int, distinct: bool) -> float:
    """Kilobytes that each further environment keeps, with a game begun and ten steps played."""
    games = len(find_games(split=SPLIT).ids)
    kept, before = [], 0
    for number in range(count + 1):
        env = make_env(ENV, split=SPLIT, max_steps=None)
        rng = random.Random(number)
        _, info = env.reset(seed=number % games if distinct else 0)
        for _ in range(10):
            *_, info = env.step(rng.choice(info["admissible_actions"] or ["look"]))
            if not info["admissible_actions"]:
                break
        kept.append(env)
        if number == 0:
            gc.collect()
            before = resident()
    gc.collect()
    return (resident() - before) / count / 1024


def shares(work: Callable[[], Any]) -> dict[str, float]:
    """The part of the time that is spent in the files of each part, of what they call only built-in functions."""
    profile = cProfile.Profile()
    profile.runcall(work)
    own: dict[str, float] = dict.fromkeys([*PARTS, "other"], 0.0)
    for entry in profile.getstats():
        if isinstance(entry.code, str):
            continue
        file = entry.code.co_filename
        part = next((part for part, files in PARTS.items() if any(name in file for name in files)), "other")
        built_in = sum(call.inlinetime for call in entry.calls or () if isinstance(call.code, str))
        own[part] += entry.inlinetime + built_in
    total = sum(own.values())
    return {part: round(seconds / total, 2) for part, seconds in own.items() if seconds / total >= 0.01}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--episodes", type=int, default=5)
    parser.add_argument("--envs", type=int, default=500)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    kilobytes = {"same_game": memory_per_env(given.envs, distinct=False)}
    games = chosen(given.games)
    walks = {game.id: [walk(game, given.steps, seed) for seed in range(given.episodes)] for game in games}
    forget_worlds()
    gc.collect()
    ours = [native_speed(game, walks[game.id]) for game in games]
    theirs = [reference_speed(game, walks[game.id]) for game in games]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine["seen"] == other["seen"], "the engines differ"
    forget_worlds()
    spent = {
        "reference": shares(partial(reference_speed, games[0], walks[games[0].id])),
        "native": shares(partial(native_speed, games[0], walks[games[0].id])),
    }
    kilobytes["other_games"] = memory_per_env(given.envs, distinct=True)
    print(json.dumps(line(given, ours, theirs) | {
        "kilobytes_per_further_env": {name: round(size) for name, size in kilobytes.items()},
        "share_of_time": spent,
    }))  # fmt: skip


def forget_worlds() -> None:
    from agentgym_critic.envs.alfworld.native import worlds

    worlds._latest.clear()
    gc.collect()


def line(given: argparse.Namespace, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> dict[str, Any]:
    steps = given.steps * len(ours)

    def rate(runs: list[dict[str, Any]], what: str, times: int = 1) -> float:
        return float(steps * times / sum(run[what] for run in runs))

    def reset(runs: list[dict[str, Any]], what: str) -> float:
        return float(statistics.median(run[what] for run in runs))

    reference, first, later = rate(theirs, "steps"), rate(ours, "steps"), rate(ours, "later", given.episodes - 1)
    total = steps * given.episodes / sum(run["steps"] + run["later"] for run in ours)
    return {
        "benchmark": "alfworld_engine",
        "games": len(ours),
        "steps": steps,
        "same_texts_and_commands": True,
        "steps_per_second": {
            "reference": round(reference, 1), "native": round(total), "native_first_episode": round(first),
            "native_later_episodes": round(later),
        },
        "times_the_reference": {
            "all": round(total / reference), "first_episode": round(first / reference),
            "later_episodes": round(later / reference),
        },
        "reset_ms": {
            "reference_first": round(1e3 * reset(theirs, "first"), 1),
            "reference_again": round(1e3 * reset(theirs, "again"), 1),
            "native_first": round(1e3 * reset(ours, "first"), 2),
            "native_again": round(1e3 * reset(ours, "again"), 4),
        },
        "reset_times_the_reference": {
            what: round(reset(theirs, what) / reset(ours, what)) for what in ("first", "again")
        },
    }  # fmt: skip


if __name__ == "__main__":
    main()
