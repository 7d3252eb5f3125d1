"""E2: does a pilot of 50 pairs of episodes call the sign that 200 fresh pairs show?

    python benchmarks/intervention.py          # plays and writes benchmarks/results/intervention.json
    python benchmarks/intervention.py --page   # docs/results/intervention.md from it

One setting's critic is made to be wrong, so that intervening must hurt. The bank's critic is taught on episodes of
`calibration.py --split development`, from other seeds (a small FrozenLake map may come up under two of them); the
gate's settings were fixed beforehand.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from calibration import WORLDS, Mixed, episodes

import agentgym_critic as agc
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.agents.base import Agent
from agentgym_critic.agents.household import HouseholdExpert
from agentgym_critic.critics import Gate, PreCritic, RuleCritic
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.learner import LearnerCritic
from agentgym_critic.critics.monte_carlo import MonteCarloCritic
from agentgym_critic.evaluation import Pair, Pilot, assess_pilot
from agentgym_critic.types import Action, Experience, Turn, Verdict, to_builtins

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "intervention.json"
PAGE = ROOT / "docs" / "results" / "intervention.md"
PILOT, FRESH = range(200_000, 200_050), range(300_000, 300_200)


class Contrary:
    """Says the opposite of another critic."""

    id, version, recall_k = "contrary", "1", 0

    def __init__(self, critic: PreCritic) -> None:
        self._critic = critic

    def attach(self, env: Any) -> None:
        self._critic = attached(self._critic, env)

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        said = self._critic.judge(turn, actions, experiences)
        return [
            msgspec.structs.replace(each, critic=self.id, version="1", p=None if each.p is None else 1 - each.p)
            for each in said
        ]


class Setting(NamedTuple):
    """Who plays where, and which critic watches."""

    world: str
    agent: Callable[[], Agent]
    critic: Callable[[Path], PreCritic]


def _rollouts(work: Path) -> PreCritic:
    return MonteCarloCritic(rollouts=8, horizon=15)


def _taught(world: str) -> Callable[[Path], PreCritic]:
    def teach(work: Path) -> LearnerCritic:
        critic = LearnerCritic()
        for trajectory in episodes(world, "development", work)[0]:
            critic = critic.learned(trajectory)
        return critic

    return teach


def _half_expert() -> Agent:
    return Mixed(OracleAgent(sample=True), 0.3)


def _wrong(work: Path) -> PreCritic:
    return Contrary(_taught("frozenlake")(work))


SETTINGS = {
    "frozenlake, random, learner": Setting("frozenlake", RandomAgent, _taught("frozenlake")),
    "frozenlake, expert with 30 % noise, rules": Setting("frozenlake", _half_expert, lambda work: RuleCritic()),
    "frozenlake, expert with 30 % noise, contrary learner": Setting("frozenlake", _half_expert, _wrong),
    "alfworld, expert with 50 % noise, learner": Setting(
        "alfworld", lambda: Mixed(HouseholdExpert(), 0.5), _taught("alfworld")
    ),
    "frozenlake, random, rollouts": Setting("frozenlake", RandomAgent, _rollouts),
}


def pairs(setting: Setting, seeds: Sequence[int], critic: PreCritic) -> list[Pair]:
    """An episode without and one with the gate for each seed."""
    world = WORLDS[setting.world]
    env, agent = agc.make_env(world.env_id, **world.settings), setting.agent()
    gate = Gate(mode="regenerate", threshold=0.4, max_interventions=10, alternatives=3)
    return [
        Pair(
            agc.run_episode(env, agent, seed=seed),
            agc.run_episode(env, agent, seed=seed, critic=critic, gate=gate),
        )
        for seed in seeds
    ]


def measured(setting: Setting, work: Path) -> dict[str, Any]:
    """The pilot and the fresh pairs of one setting."""
    started, critic = time.perf_counter(), setting.critic(work)
    pilot, fresh = (assess_pilot(pairs(setting, seeds, critic)) for seeds in (PILOT, FRESH))
    return {
        "critic": f"{critic.id}@{critic.version}",
        "agent": setting.agent().id,
        "pilot": to_builtins(pilot),
        "fresh": to_builtins(fresh),
        "right": _sign(pilot) == _sign(fresh),
        "seeds": [[PILOT.start, PILOT.stop - 1], [FRESH.start, FRESH.stop - 1]],
        "python": platform.python_version(),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _sign(pilot: Pilot) -> int:
    effect = pilot.effect.estimate or 0.0
    return (effect > 0) - (effect < 0)


HEAD = """\
# Intervention (E2)

Whether a pilot of 50 pairs of episodes calls the sign of the effect that 200 fresh pairs show. The gate regenerates
(best of 4 by the critic) where p is below 0.4, ten times an episode at most. The effect is the change in the share of
successes, with its 95 % interval; where that holds 0 in both columns, the same sign may be luck. The learner was taught
on other seeds, but a 4x4 map of FrozenLake may come up under two of them, which favours it.
Written by `python benchmarks/intervention.py --page` from what
`python benchmarks/intervention.py` measured, and not by hand.

| setting | pilot: effect | decision | fresh: effect | recovered | disrupted | same sign |
| --- | --- | --- | --- | --- | --- | --- |
"""


def row(name: str, result: dict[str, Any]) -> str:
    """One line of the table."""
    pilot, fresh = result["pilot"], result["fresh"]
    cells = [name, _interval(pilot["effect"]), pilot["decision"], _interval(fresh["effect"])]
    cells += [str(fresh["recovered"]), str(fresh["disrupted"]), "yes" if result["right"] else "no"]
    return f"| {' | '.join(cells)} |"


def _interval(value: Sequence[float | None]) -> str:
    estimate, low, high = (f"{number:+.3f}" if number is not None else "-" for number in value)
    return f"{estimate} ({low} to {high})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path(".calibration"))
    parser.add_argument("--page", action="store_true", help="only write the page from the results")
    chosen = parser.parse_args()
    known: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if chosen.page:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(HEAD + "\n".join(row(name, result) for name, result in known.items()) + "\n")
        return 0
    for name, setting in SETTINGS.items():
        if name not in known:
            known[name] = measured(setting, chosen.work)
            RESULTS.write_text(json.dumps(known, indent=1) + "\n")
        print(row(name, known[name]), known[name]["seconds"], "s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
