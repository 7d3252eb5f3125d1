"""Episodes of registered environments as digests: ``python -m episodes MODULE... -- ENV_ID...`` prints them as JSON.

The modules are imported first, in the order given.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import random
import sys
from contextlib import closing
from typing import Any

import numpy as np

STEPS = 15

LISTING = {
    "agentgym_critic/Search-v0": {"listed": True},
    "agentgym_critic/Tools-v0": {"listed": True},
    "agentgym_critic/WebShop-v0": {"offered_searches": True},
}
"""What makes the actions of an environment a list, where by default there is none."""


def playable(env_id: str) -> dict[str, Any]:
    """Settings with which an environment plays on any machine, its actions listed."""
    from agentgym_critic.doctor import PLAYABLE

    return {**PLAYABLE.get(env_id, {}), **LISTING.get(env_id, {})}


def digest(env_id: str, *, seed: int = 3, noise: int = 0) -> str:
    """A random episode, with the global generators set to noise before each of its steps."""
    from agentgym_critic.envs import make_env

    rng, hashed = random.Random(seed), hashlib.sha256()
    with closing(make_env(env_id, **playable(env_id))) as env:
        observation, info = env.reset(seed=seed)
        hashed.update(_written(observation, info))
        for step in range(STEPS):
            random.seed(noise + step)
            np.random.seed(noise + step)
            if (action := _action(env, info["admissible_actions"], rng)) is None:
                break
            *result, info = env.step(action)
            hashed.update(_written(action, *result, info))
    return hashed.hexdigest()


def _action(env: Any, admissible: list[str] | None, rng: random.Random) -> str | None:
    if admissible is None:
        told = env.unwrapped.oracle()
        return rng.choice(told.actions) if told and told.actions else "look"
    return rng.choice(admissible) if admissible else None


def _written(*values: Any) -> bytes:
    return json.dumps(values, sort_keys=True, default=str).encode()


if __name__ == "__main__":
    border = sys.argv.index("--")
    for module in sys.argv[1:border]:
        importlib.import_module(module)
    print(json.dumps({env_id: digest(env_id) for env_id in sys.argv[border + 1 :]}))
