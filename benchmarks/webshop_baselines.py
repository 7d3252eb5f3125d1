"""How hard the generated shop is, beside the real one: what two baselines earn in each, over the same number of goals.

The first searches the request and buys the first result as it is; the other is the agent ``shopper``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from typing import Any

from agentgym_critic import make, run_episode
from agentgym_critic.envs.webshop import WebShopEnv, make_webshop
from agentgym_critic.envs.webshop.searches import searchable


def buy_first(env: WebShopEnv, seed: int) -> float:
    """The reward of the first result for the request."""
    _, info = env.reset(seed=seed)
    *_, info = env.step(f"search[{searchable(info['task'])}]")
    links = info["admissible_actions"][2:3]
    if not links:
        return 0.0
    env.step(links[0])
    return env.step("click[buy now]")[1]


def shopped(env: WebShopEnv, seed: int) -> float:
    """What the shopper earns."""
    return sum(step.reward for step in run_episode(env, make("agent", "shopper"), seed=seed).steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="WebShop's files; generated products alone without")
    parser.add_argument("--episodes", type=int, default=200)
    given = parser.parse_args()
    line: dict[str, Any] = {"benchmark": "webshop_baselines", "episodes": given.episodes}
    with tempfile.TemporaryDirectory() as cache:
        for catalogue in ("procedural", *(["small"] if given.data else [])):
            for kind in ("synthetic", "human"):
                data = {} if catalogue == "procedural" else {"data": given.data}
                env = make_webshop(catalogue, goals=kind, cache=cache, nouns="words", **data)
                rewards = {name: [play(env, seed) for seed in range(given.episodes)] for name, play in PLAYERS.items()}
                line[f"{catalogue} {kind}"] = {
                    name: {"reward": round(statistics.fmean(each), 3), "success": sum(one == 1.0 for one in each)}
                    for name, each in rewards.items()
                }
    print(json.dumps(line))


PLAYERS = {"search and buy first": buy_first, "shopper": shopped}


if __name__ == "__main__":
    main()
