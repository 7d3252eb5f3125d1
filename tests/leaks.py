"""How much a process grows while it plays: ``python -m leaks ENV_ID`` prints resident bytes before and after as JSON.

Every episode has a seed of its own, so that what is kept for each seed grows too.
"""

from __future__ import annotations

import gc
import json
import random
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

from episodes import playable

EPISODES, STEPS = 5_000, 12

WARM_UP = {"agentgym_critic/WebShop-v0": 9_000}
"""Episodes until all that is kept on purpose is there, if they are not 3,000: a shop remembers its 8,348 goals."""


def resident_bytes() -> int:
    gc.collect()
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS:")]
    return 1024 * int(line.split()[1])


def main(env_id: str) -> tuple[int, int]:
    """Resident memory after a warm-up, and `EPISODES` later."""
    from agentgym_critic.envs import make_env

    rng, seeds = random.Random(0), count()
    with closing(make_env(env_id, **playable(env_id))) as env:
        sizes = []
        for episodes in (WARM_UP.get(env_id, 3_000), EPISODES):
            for _ in range(episodes):
                _, info = env.reset(seed=next(seeds))
                for _ in range(STEPS):
                    if not info["admissible_actions"]:
                        break
                    *_, info = env.step(rng.choice(info["admissible_actions"]))
            sizes.append(resident_bytes())
    return sizes[0], sizes[1]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
