"""What the oracle agent and the random agent reach in every environment that can run here: a table and one JSON line.

    python benchmarks/reference_scores.py [--only Sokoban-v0] [--episodes 100]

Episode i of each agent has the seed SEED + i. Results are kept in a file as they come; what is there
with the same version, settings and episodes is not played again. The page
docs/environments/scores.md is written from that file.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from agentgym_critic import run_episode
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.critics.intervals import share_range
from agentgym_critic.envs import env_ids, make_env
from agentgym_critic.errors import AgentError, MissingDataError, MissingExtraError
from agentgym_critic.types import Step

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "reference_scores.json", ROOT / "docs" / "environments" / "scores.md"

SEED = 0

SETTINGS: dict[str, dict[str, Any]] = {
    "agentgym_critic/ALFWorld-v0": {"split": "procedural"},
    "agentgym_critic/Search-v0": {"listed": True},
    "agentgym_critic/TextWorld-v0": {"games": 20},
    "agentgym_critic/Tools-v0": {"listed": True},
    "agentgym_critic/WebShop-v0": {"offered_searches": True},
}
"""Where the defaults need data, generate a game per seed, or leave the random agent no list to draw from."""

AGENTS = {"oracle": OracleAgent, "random": RandomAgent}

HEAD = """\
# Reference scores

What the agents `oracle` and `random` reach with the settings shown, {episodes} episodes each, seeds from
{seed}: success with its 95 % interval (Wilson), mean steps and mean return of an episode. An oracle that
knows no way (any more) ends its episode, without success. Written by

```sh
python benchmarks/reference_scores.py
```

under Python {python}, and not by hand. `Jericho-v0` is missing: no story file comes with this package; with one
in `$JERICHO_STORY` the command adds its row.

| environment | version | oracle: success | steps | return | random: success | steps | return |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


class Played(NamedTuple):
    """An episode in three numbers."""

    success: bool
    steps: int
    episode_return: float


def play(env: Any, agent: Any, seed: int) -> Played:
    """One episode; one in which the agent gives up is a failure."""
    steps: list[Step] = []
    try:
        trajectory = run_episode(env, agent, seed=seed, on_step=steps.append)
    except AgentError:
        return Played(False, len(steps), math.fsum(step.reward for step in steps))
    return Played(trajectory.success, len(trajectory.steps), trajectory.episode_return)


def score(env: Any, name: str, episodes: int) -> dict[str, Any] | None:
    """What an agent reaches; None for the random agent where there is no list of actions to draw from."""
    if name == "random" and env.reset(seed=SEED)[1]["admissible_actions"] is None:
        return None
    agent = AGENTS[name]()
    played = [play(env, agent, SEED + index) for index in range(episodes)]
    won = sum(one.success for one in played)
    return {
        "success": won / episodes,
        "interval": [round(bound, 4) for bound in share_range(won, episodes)],
        "steps": round(statistics.fmean(one.steps for one in played), 2),
        "return": round(statistics.fmean(one.episode_return for one in played), 4),
    }


def measure(env_id: str, episodes: int) -> bool:
    """Score an environment and keep what comes out after each agent; False where it cannot run here."""
    settings = SETTINGS.get(env_id, {})
    try:
        env = make_env(env_id, **settings)
    except (MissingDataError, MissingExtraError) as error:
        print(f"{env_id}: left out: {error}", file=sys.stderr)
        return False
    with closing(env):
        version = str(env.unwrapped.env_version)  # type: ignore[attr-defined]
        about = {"env_version": version, "settings": settings, "seed": SEED, "episodes": episodes}
        known = kept().get(env_id, {})
        measured = known if about.items() <= known.items() else about
        for name in AGENTS.keys() - measured.keys():
            measured[name] = score(env, name, episodes)
            RESULTS.write_text(json.dumps({**kept(), env_id: measured}, indent=1, sort_keys=True) + "\n")
    return True


def kept() -> dict[str, Any]:
    """The results so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def row(env_id: str, measured: dict[str, Any]) -> str:
    """A line of the table."""
    settings = ", ".join(f"`{key}={value!r}`" for key, value in measured["settings"].items())
    name = f"`{env_id.partition('/')[2]}`" + (f" ({settings})" if settings else "")
    return f"| {' | '.join([name, measured['env_version'], *cells(measured['oracle']), *cells(measured['random'])])} |"


def cells(told: dict[str, Any] | None) -> list[str]:
    if told is None:
        return ["actions are not listed", "", ""]
    low, high = told["interval"]
    return [f"{told['success']:.2f} ({low:.2f} to {high:.2f})", f"{told['steps']:.1f}", f"{told['return']:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="an id, with or without the namespace; repeatable")
    parser.add_argument("--episodes", type=int, default=100)
    given = parser.parse_args()
    wanted = [f"agentgym_critic/{name.rpartition('/')[2]}" for name in given.only or []] or env_ids()
    for env_id in wanted:
        if measure(env_id, given.episodes):
            print(row(env_id, kept()[env_id]), file=sys.stderr)
    results = {env_id: each for env_id, each in kept().items() if each.keys() >= AGENTS.keys()}
    rows = [row(env_id, each) for env_id, each in sorted(results.items()) if each["episodes"] == given.episodes]
    head = HEAD.format(episodes=given.episodes, seed=SEED, python=platform.python_version())
    PAGE.write_text(head + "\n".join(rows) + "\n")
    print(json.dumps({"benchmark": "reference_scores", "seed": SEED, "environments": results}))


if __name__ == "__main__":
    main()
