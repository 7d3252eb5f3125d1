"""Sokoban episodes, step by step.

    python tests/golden/record_sokoban.py

records them in sokoban.json beside this file. A change means that old seeds are other levels or
read differently: raise `SokobanEnv.env_version`, and say in the changelog why.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentgym_critic.envs.sokoban import SokobanEnv

FILE = Path(__file__).with_name("sokoban.json")

SETTINGS: list[dict[str, Any]] = [
    {},
    {"size": 5, "max_steps": 12},
    {"size": [7, 8], "boxes": 2, "min_solution": 12, "step_penalty": 0.01, "box_reward": 0.1, "deadlock_info": True},
]
SEEDS = (0, 1)


def recordings() -> list[dict[str, Any]]:
    """For each setting and seed an episode of the oracle and one of a clumsy player."""
    return [
        {"player": player.__name__, "settings": settings, "seed": seed, "moments": _episode(settings, seed, player)}
        for settings in SETTINGS
        for seed in SEEDS
        for player in (oracle, clumsy)
    ]


def oracle(env: SokobanEnv, rng: random.Random) -> str:
    """The last of the best actions."""
    known = env.oracle()
    assert known
    return known.actions[-1]


def clumsy(env: SokobanEnv, rng: random.Random) -> str:
    """Any action, legal or not."""
    return rng.choice(["up", "down", "left", "right", "wait"])


def _episode(settings: dict[str, Any], seed: int, player: Callable[[SokobanEnv, random.Random], str]) -> list[Any]:
    env, rng = SokobanEnv(**settings), random.Random(seed)
    observation, info = env.reset(seed=seed)
    moments: list[Any] = [(observation, info)]
    while info["admissible_actions"] and len(moments) < 20:
        action = player(env, rng)
        *seen, info = env.step(action)
        moments.append((action, *seen, {key: value for key, value in info.items() if key != "task"}))
    return moments


def written(recordings: list[dict[str, Any]]) -> str:
    """As JSON, an episode a line."""
    return "[\n" + ",\n".join(map(json.dumps, recordings)) + "\n]\n"


def main() -> None:
    FILE.write_text(written(recordings()), encoding="utf-8")
    print(FILE)


if __name__ == "__main__":
    main()
