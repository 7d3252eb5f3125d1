"""E1: how well each critic is calibrated, on the same steps, in several environments.

    python benchmarks/calibration.py --split development --env sokoban    # for choosing settings
    python benchmarks/calibration.py                                      # the reported ones
    python benchmarks/calibration.py --page                               # docs/results/calibration.md from the JSON

Needs $ALFWORLD_DATA and $WEBSHOP_DATA. Episodes, verdicts and truths are kept in --work, so a run that was
stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import agentgym_critic as agc
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.agents.base import Agent
from agentgym_critic.agents.household import HouseholdExpert
from agentgym_critic.agents.shopper import Shopper
from agentgym_critic.critics import (
    CounterfactualCritic,
    HindsightCritic,
    KernelCritic,
    LikelihoodCritic,
    OutcomeHindsightCritic,
    PreCritic,
    PTrueCritic,
    RuleCritic,
    SelfConsistencyCritic,
    StackedCritic,
    StructuredCritic,
    VerbalizedCritic,
    bank_fusion,
    bank_kernel,
    bank_lm,
)
from agentgym_critic.critics.bank import bank_traits
from agentgym_critic.critics.pooled import PooledHindsightCritic
from agentgym_critic.evaluation import VerdictLog, compare_critics, true_labels
from agentgym_critic.lm import LanguageModel, load_lm
from agentgym_critic.types import Action, Trajectory, Turn, from_json, to_builtins, to_json

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "calibration.json", ROOT / "docs" / "results" / "calibration.md"
FIRST_SEED = {"development": 0, "reported": 100_000}
ORDERS = 3


class Mixed:
    """Plays like another agent, but with some probability at random: skill between the two."""

    def __init__(self, agent: Agent, noise: float) -> None:
        self._agent, self._noise = agent, noise
        self.id = f"{agent.id}+{noise:g} random"

    def attach(self, env: Any) -> None:
        if hasattr(self._agent, "attach"):
            self._agent.attach(env)

    def reset(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._agent.reset(seed)

    def propose(self, turn: Turn) -> Action:
        by_chance = self._rng.random() < self._noise
        if by_chance or turn.admissible_actions is None:
            return Action(text=self._rng.choice(turn.admissible_actions or ("look",)))
        try:
            return self._agent.propose(turn)
        except agc.errors.AgentError:  # the oracle knows no way any more
            return Action(text=self._rng.choice(turn.admissible_actions))


class World(NamedTuple):
    """An environment, who plays in it, and who plays its rollouts."""

    env_id: str
    settings: dict[str, Any]
    episodes: int
    agents: Callable[[], list[Agent]]
    rollout: Callable[[], Agent | None]
    """Asks no oracle; None is uniform chance."""
    rollouts: int


def _skills(expert: Callable[[], Agent]) -> list[Agent]:
    return [RandomAgent(), Mixed(expert(), 0.25), Mixed(expert(), 0.5)]


def _by_oracle() -> list[Agent]:
    return _skills(lambda: OracleAgent(sample=True))


WORLDS = {
    "sokoban": World("agentgym_critic/Sokoban-v0", {"max_steps": 20}, 60, _by_oracle, lambda: None, 64),
    "frozenlake": World(
        "agentgym_critic/FrozenLake-v0",
        {"map": "random", "size": 6, "is_slippery": False, "max_steps": 30},
        60,
        _by_oracle,
        lambda: None,
        64,
    ),
    "tictactoe": World("agentgym_critic/TicTacToe-v0", {"max_steps": 10}, 120, _by_oracle, lambda: None, 64),
    "game2048": World("agentgym_critic/Game2048-v0", {"target": 32, "max_steps": 40}, 20, _by_oracle, lambda: None, 16),
    "alfworld": World(
        "agentgym_critic/ALFWorld-v0",
        {"split": "train", "max_steps": 20},
        36,
        lambda: _skills(HouseholdExpert),
        lambda: Mixed(HouseholdExpert(), 0.1),
        4,
    ),
    "webshop": World(
        "agentgym_critic/WebShop-v0",
        {"offered_searches": True, "max_steps": 12},
        60,
        lambda: [RandomAgent(), Mixed(Shopper(), 0.3), Mixed(OracleAgent(sample=True), 0.4)],
        lambda: Mixed(Shopper(), 0.2),
        8,
    ),
}


def hindsight(world: World, env: Any) -> HindsightCritic:
    """Who fills the bank: what the outcome shows and what rollouts tell, without an oracle."""
    counterfactual = CounterfactualCritic(lambda: env, world.rollout(), rollouts=world.rollouts, horizon=40, by="pace")
    return PooledHindsightCritic([OutcomeHindsightCritic(nearer=0.7, not_nearer=0.2, loop=0.45), counterfactual])


def episodes(name: str, split: str, work: Path) -> tuple[list[Trajectory], dict[str, list[bool | None]]]:
    """The judged episodes and the truth about their steps; played, reviewed and kept where they are not known."""
    world, folder = WORLDS[name], work / f"{name}-{split}"
    folder.mkdir(parents=True, exist_ok=True)
    played, labels = [], {}
    env = second = None
    for number in range(world.episodes):
        file = folder / f"{number}.json"
        if not file.exists():
            env = env or agc.make_env(world.env_id, **world.settings)
            second = second or agc.make_env(world.env_id, **world.settings)
            agents = world.agents()
            seed = FIRST_SEED[split] + number
            trajectory = agc.run_episode(
                env, agents[number % len(agents)], seed=seed, hindsight=hindsight(world, second)
            )
            file.write_bytes(to_json([to_builtins(trajectory), true_labels(env, trajectory)]))
        stored = json.loads(file.read_bytes())
        trajectory = from_json(json.dumps({**stored[0], "id": f"{name}-{split}-{number}"}).encode(), Trajectory)
        played.append(trajectory)
        labels[trajectory.id] = stored[1]
    return played, labels


def baselines() -> dict[str, PreCritic]:
    """Critics without training, without bank and without model."""
    return {"rules": RuleCritic()}


def with_model(lm: LanguageModel) -> dict[str, PreCritic]:
    """The critics that ask a language model: baselines first, then those that read the bank."""
    return {
        "P(True)": PTrueCritic(lm),
        "verbalized": VerbalizedCritic(lm),
        "self-consistency": SelfConsistencyCritic(lm),
        "structured": StructuredCritic(lm),
        "sequence probability": LikelihoodCritic(lm, "sequence"),
        "mean entropy": LikelihoodCritic(lm, "entropy"),
        "perplexity": LikelihoodCritic(lm, "perplexity"),
        "bank-lm": bank_lm(lm),
        "bank-lm recalibrated": bank_lm(lm, recalibrate=True),
        "bank-lm productive only": bank_lm(lm, polarity="productive"),
        "bank-lm by chance": bank_lm(lm, recall_by="chance"),
        "bank-fusion": bank_fusion(lm),
    }


def banks() -> dict[str, PreCritic]:
    """The bank critics, and what is left of them without a part."""
    return {
        "kernel": KernelCritic(),
        "bank-kernel": bank_kernel(),
        "bank-kernel k=2": bank_kernel(2),
        "bank-kernel productive only": bank_kernel(polarity="productive"),
        "bank-kernel unproductive only": bank_kernel(polarity="unproductive"),
        "bank-kernel by chance": bank_kernel(recall_by="chance"),
        "recalibrated rules (no bank)": StackedCritic([RuleCritic()]),
        "bank-traits": bank_traits(),
    }


def measured(name: str, split: str, work: Path, lm: LanguageModel | None = None) -> dict[str, Any]:
    """All critics on the steps of one environment."""
    started = time.perf_counter()
    world = WORLDS[name]
    played, labels = episodes(name, split, work)
    with VerdictLog(work / f"{name}-{split}.verdicts.db") as log:
        compared = compare_critics(
            played,
            labels,
            {**baselines(), **(with_model(lm) if lm else {}), **banks()},
            log,
            orders=ORDERS,
            max_steps=world.settings["max_steps"],
            resamples=200,
        )
    return {
        "environment": world.env_id,
        "settings": world.settings,
        "seeds": [FIRST_SEED[split], FIRST_SEED[split] + world.episodes - 1],
        "hindsight": played[0].hindsight_critic,
        "agents": sorted({trajectory.agent for trajectory in played}),
        "hindsight_agreement": agreement(played, labels),
        "comparison": to_builtins(compared),
        "seconds": round(time.perf_counter() - started, 1),
    }


def agreement(played: list[Trajectory], labels: dict[str, list[bool | None]]) -> dict[str, float]:
    """How often a decided hindsight verdict is true, and the share of decided ones; for the report alone."""
    pairs = [
        (step.hindsight.p > 0.5, label)
        for trajectory in played
        for step, label in zip(trajectory.steps, labels[trajectory.id], strict=True)
        if label is not None and step.hindsight and step.hindsight.p not in (None, 0.5)
    ]
    known = sum(label is not None for own in labels.values() for label in own)
    return {"agrees": sum(a == b for a, b in pairs) / max(1, len(pairs)), "decided": len(pairs) / max(1, known)}


def rows(result: dict[str, Any]) -> Iterator[str]:
    """The table of one environment."""
    for critic in result["comparison"]["critics"]:
        scores = critic["scores"]
        cells = [_interval(scores[metric]) for metric in ("ece", "brier", "auc")]
        cost, judged = scores["cost"], max(1, scores["steps"])
        tokens = (cost["prompt_tokens"] + cost["completion_tokens"]) / judged
        yield (
            f"| {critic['name']} | {' | '.join(cells)} | {scores['unscored']} | {tokens:.0f} "
            f"| {1000 * cost['seconds'] / judged:.0f} |"
        )


def _interval(value: list[float | None]) -> str:
    estimate, low, high = (f"{number:.3f}" if number is not None else "-" for number in value)
    return f"{estimate} ({low} to {high})"


HEAD = """\
# Calibration (E1)

How well critics are calibrated against the oracle, on the same steps, in {orders} orders of the stream. Intervals
(95 %) are over episodes. Settings were chosen on other seeds (FrozenLake's on maps of 4x4). Sokoban, and the
critics that ask a language model, are not measured yet: no claim about the baselines among these is made. Written by

```sh
python benchmarks/calibration.py && python benchmarks/calibration.py --page
```

and not by hand. Lower ECE and Brier are better, higher AUC is better; tokens and milliseconds are of the language
model, for each verdict.
"""


def page(results: dict[str, Any]) -> str:
    """The page in Markdown."""
    parts = [HEAD.format(orders=ORDERS)]
    for name, result in sorted(results.items()):
        told = result["hindsight_agreement"]
        parts += [
            f"## {name}\n",
            f"`{result['environment']}`, {result['settings']}, seeds {result['seeds'][0]} to {result['seeds'][1]}, "
            f"{result['comparison']['steps']} steps, backbone {result['backbone'] or 'none'}. Hindsight decided "
            f"{told['decided']:.0%} of the steps and agrees with the oracle on {told['agrees']:.0%} of these.\n",
            "| critic | ECE | Brier | AUC | unscored | tokens | ms |\n| --- | --- | --- | --- | --- | --- | --- |",
            *rows(result),
            "",
        ]
    return "\n".join(parts)


def known() -> dict[str, Any]:
    """The results so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(key: str, result: dict[str, Any]) -> None:
    """Add a result to the file."""
    RESULTS.write_text(json.dumps({**known(), key: result}, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=sorted(FIRST_SEED), default="reported")
    parser.add_argument("--env", choices=sorted(WORLDS), nargs="*", default=list(WORLDS))
    parser.add_argument("--work", type=Path, default=Path(".calibration"))
    parser.add_argument("--lm", help="also the critics that ask this model, such as smollm2")
    parser.add_argument("--page", action="store_true", help="only write the page from the results")
    chosen = parser.parse_args()
    if chosen.page:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(known()))
        return 0
    lm = load_lm(chosen.lm) if chosen.lm else None
    for name in chosen.env:
        result = measured(name, chosen.split, chosen.work, lm)
        result |= {
            "backbone": lm.id if lm else None,
            "python": platform.python_version(),
            "command": ["--env", name, *(["--lm", chosen.lm] if lm else [])],
        }
        if chosen.split == "reported":
            keep(f"{name} {chosen.lm}" if lm else name, result)
        scores = result["comparison"]
        print(name, scores["steps"], "steps; hindsight", result["hindsight_agreement"], result["seconds"], "s")
        print("\n".join(rows(result)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
