"""E3: success against budget of guided search, for each value critic: one JSON line, a table, a figure.

    ALFWORLD_DATA=… python benchmarks/search_budget.py [--worlds sokoban alfworld] [--tasks 50] [--budgets 250 1000]

Policies: uniformly random in Sokoban; in ALFWorld the household expert, of whose proposals 85 % are replaced by random
legal ones. The budget is of simulator steps in an episode, those of critics and rollouts included. What is learnt
(value model, bank) and chosen (`c` and `share`, by tree search with the rules) comes from other tasks than the
reported ones: episodes of the policy and of tree search with the rules, judged in hindsight by their outcome. Only
the critic `oracle`, the ceiling, reads the environment's oracle. Cells that the file of results holds with the same
settings are not played again. `--page` only writes the table and the figure of docs/search.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import random
import re
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from agentgym_critic import run_episode
from agentgym_critic.agents import Agent, BeamSearch, BestOfN, HouseholdExpert, RandomAgent, TreeSearch
from agentgym_critic.critics import KernelCritic, MonteCarloCritic, OracleCritic, RuleCritic, ValueModelCritic
from agentgym_critic.critics.chance import Chance
from agentgym_critic.envs import make_env
from agentgym_critic.evaluation.diagrams import save_figure
from agentgym_critic.memory import HashingEmbedder, MemoryBank
from agentgym_critic.types import Action, Experience, Trajectory, Turn

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "search_budget.json", ROOT / "docs" / "search.md"
FIGURE = ROOT / "docs" / "figures" / "search_budget"
TABLE = re.compile(r"(?<=<!-- results -->\n).*(?=<!-- end of results -->)", re.DOTALL)

METHODS = {"best-of-n": BestOfN, "beam": BeamSearch, "mcts": TreeSearch}
FREE = ("rules", "value-model", "bank-kernel", "oracle")
"""Critics that take no steps: best-of-n with them needs no budget."""
CRITICS = ("monte-carlo", *FREE)
FIRST_OTHER_TASK = 100_000
"""Seeds from here on are for learning and choosing, where reported tasks are of the same split."""
SHARES, CS = (0.1, 0.25, 0.5), (0.2, 0.5, 1.0)


class NoisyExpert:
    """The household expert, of whose proposals a share is replaced by random legal ones."""

    def __init__(self, noise: float = 0.85) -> None:
        self._noise, self._expert, self._random = noise, HouseholdExpert(), RandomAgent()
        self.id = f"noisy({noise}, {self._expert.id})"
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._random.reset(seed)

    def propose(self, turn: Turn) -> Action:
        agent: Agent = self._random if self._rng.random() < self._noise else self._expert
        return agent.propose(turn)


class KnownTexts(HashingEmbedder):
    """Embeds no text twice: a search meets the same ones again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, super().embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


class FixedBank(MemoryBank):
    """A bank that is not filled any more, so that what was recalled once need not be looked for again."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self._recalls: dict[tuple[str, str, str, int], list[Experience]] = {}

    def recall(self, turn: Turn, action: Action, k: int, *, before: int | None = None) -> list[Experience]:
        assert before is None
        key = (turn.task, turn.observation, action.text, k)
        if key not in self._recalls:
            self._recalls[key] = super().recall(turn, action, k)
        return self._recalls[key]


class World(NamedTuple):
    """Where E3 is played."""

    env: str
    reported: dict[str, Any]
    """Settings of the environment whose seeds from 0 are reported."""
    other: dict[str, Any]
    """Of the one whose tasks are learnt from."""
    first_other: int
    policy: Callable[[], Agent]
    budgets: tuple[int, ...]


SOKOBAN = {"size": 7, "boxes": 2, "min_solution": 8, "max_steps": 40}
WORLDS = {
    "sokoban": World(
        "agentgym_critic/Sokoban-v0", SOKOBAN, SOKOBAN, FIRST_OTHER_TASK, RandomAgent, (250, 1_000, 4_000)
    ),
    "alfworld": World(
        "agentgym_critic/ALFWorld-v0",
        {"split": "valid_seen", "engine": "native", "max_steps": 30},
        {"split": "train", "engine": "native", "max_steps": 30},
        0,
        NoisyExpert,
        (100, 400, 1_600),
    ),
}


class Cell(NamedTuple):
    """One point of the figure."""

    world: str
    method: str
    critic: str
    budget: int | None
    """None where it makes no difference."""

    @property
    def key(self) -> str:
        return "/".join(map(str, self))


class Kit(NamedTuple):
    """What was learnt and chosen on other tasks."""

    value_model: ValueModelCritic
    bank: MemoryBank
    share: float
    c: float
    about: dict[str, Any]


def cells(world: str, budgets: Sequence[int], critics: Sequence[str] = CRITICS) -> Iterator[Cell]:
    """All points of a world, cheap ones first."""
    yield Cell(world, "none", "none", None)
    yield from (Cell(world, "best-of-n", critic, None) for critic in critics if critic in FREE)
    for budget, critic in itertools.product(budgets, critics):
        methods = METHODS if critic not in FREE else ("beam", "mcts")
        yield from (Cell(world, method, critic, budget) for method in methods)


def agent_of(cell: Cell, world: World, kit: Kit) -> Agent:
    if cell.method == "none":
        return world.policy()
    made: dict[str, Callable[[], Any]] = {
        "monte-carlo": lambda: MonteCarloCritic(world.policy(), rollouts=4, horizon=10, productive="chance"),
        "value-model": lambda: kit.value_model,
        "bank-kernel": KernelCritic,
        "rules": RuleCritic,
        "oracle": OracleCritic,
    }
    settings: dict[str, Any] = {"env_steps": cell.budget or 0, "share": kit.share}
    if cell.method == "mcts":
        settings["c"] = kit.c
    bank = kit.bank if cell.critic == "bank-kernel" else None
    agent: Agent = METHODS[cell.method](made[cell.critic](), world.policy(), bank=bank, **settings)
    return agent


def play(env: Any, agent: Agent, seeds: Sequence[int]) -> list[Trajectory]:
    return [run_episode(env, agent, seed=seed, hindsight="outcome") for seed in seeds]


def prepare(world: World, episodes: int) -> Kit:
    """Learn and choose on other tasks; the oracle is not asked."""
    env = make_env(world.env, **world.other)
    seeds = range(world.first_other, world.first_other + episodes)
    rules = TreeSearch(RuleCritic(), world.policy(), env_steps=world.budgets[1])
    lived = [*play(env, world.policy(), seeds), *play(env, rules, seeds)]
    bank = FixedBank()
    for position, trajectory in enumerate(lived):
        bank.remember(msgspec.structs.replace(trajectory, id=f"other-{position}", stream_position=position))
    value_model = ValueModelCritic.fit(lived, target="hindsight", embedder=KnownTexts())
    grid = []
    for share, c in itertools.product(SHARES, CS):
        agent = TreeSearch(RuleCritic(), world.policy(), env_steps=world.budgets[1], share=share, c=c)
        fresh = range(seeds.stop, seeds.stop + episodes // 2)
        grid.append((sum(each.success for each in play(env, agent, fresh)), share, c))
    _, share, c = max(grid, key=lambda row: row[0])
    about = {
        "episodes": len(lived),
        "successes": sum(each.success for each in lived),
        "experiences": bank.stats().experiences,
        "value_model": value_model.version,
        "grid": [{"won": won, "of": episodes // 2, "share": share, "c": c} for won, share, c in grid],
        "share": share,
        "c": c,
    }
    return Kit(value_model, bank, share, c, about)


def measure(cell: Cell, world: World, kit: Kit, tasks: int) -> dict[str, Any]:
    """What an agent reaches on the reported tasks."""
    env, agent = make_env(world.env, **world.reported), agent_of(cell, world, kit)
    started = time.perf_counter()
    played = play(env, agent, range(tasks))
    return {
        **cell._asdict(),
        "agent": agent.id,
        "tasks": tasks,
        "won": sum(each.success for each in played),
        "solved": [each.success for each in played],
        "interval": [round(bound, 4) for bound in Chance(sum(each.success for each in played), tasks).interval],
        "steps": round(statistics.fmean(len(each.steps) for each in played), 2),
        "env_steps": round(statistics.fmean(each.cost.env_steps for each in played), 1),
        "most_env_steps": max(each.cost.env_steps for each in played),
        "task_ids": [each.task_id for each in played],
        "seconds": round(time.perf_counter() - started, 1),
    }


def other_task_ids(world: World, episodes: int) -> set[str]:
    env = make_env(world.env, **world.other)
    seeds = range(world.first_other, world.first_other + episodes + episodes // 2)
    return {env.reset(seed=seed)[1]["task_id"] for seed in seeds}


def stamp() -> dict[str, Any]:
    packages = {name: version(name) for name in ("gymnasium", "numpy", "torch")}
    command = shlex.join(["python", "benchmarks/search_budget.py", *sys.argv[1:]])
    return {"python": platform.python_version(), **packages, "seed": 0, "command": command}


def kept(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"prepared": {}, "cells": {}}
    return known


def keep(path: Path, results: dict[str, Any]) -> None:
    """Write the whole file or nothing."""
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    os.replace(draft, path)


def run(names: Sequence[str], tasks: int, budgets: Sequence[int] | None, episodes: int, path: Path) -> dict[str, Any]:
    results = kept(path)
    for name in names:
        world = WORLDS[name]
        kit = prepare(world, episodes)
        about = {
            **kit.about,
            "env": world.env,
            "policy": world.policy().id,
            "reported": world.reported,
            "other": world.other,
            "env_version": str(make_env(world.env, **world.reported).get_wrapper_attr("env_version")),
        }
        if results["prepared"].get(name) != about:
            results["cells"] = {key: cell for key, cell in results["cells"].items() if cell["world"] != name}
        results["prepared"][name] = about
        others = other_task_ids(world, episodes)
        for cell in cells(name, budgets or world.budgets):
            if results["cells"].get(cell.key, {}).get("tasks") == tasks:
                continue
            measured = measure(cell, world, kit, tasks)
            assert not others & set(measured.pop("task_ids")), "a reported task was learnt from"
            results["cells"][cell.key], results["stamp"] = measured, stamp()
            keep(path, results)
            print(cell.key, f"{measured['won']}/{tasks}", f"{measured['seconds']} s", file=sys.stderr, flush=True)
    return results


def table(results: dict[str, Any]) -> str:
    """In Markdown."""
    lines = [
        "| world | search | critic | budget | solved | 95 % interval | simulator steps, mean | steps played, mean |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in sorted(results["cells"].values(), key=_place):
        low, high = each["interval"]
        budget = "any" if each["budget"] is None else f"{each['budget']:,}"
        lines.append(
            f"| {each['world']} | {each['method']} | {each['critic']} | {budget} | {each['won']} of {each['tasks']} | "
            f"{low:.0%} to {high:.0%} | {each['env_steps']:,.0f} | {each['steps']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def _place(cell: dict[str, Any]) -> tuple[Any, ...]:
    methods, critics = ("none", *METHODS), ("none", *CRITICS)
    return cell["world"], methods.index(cell["method"]), critics.index(cell["critic"]), cell["budget"] or 0


def draw(results: dict[str, Any]) -> Any:
    """A panel for each world and search, a line for each critic."""
    from matplotlib.figure import Figure

    worlds = sorted({each["world"] for each in results["cells"].values()}, reverse=True)
    figure = Figure(figsize=(12, 3.6 * len(worlds)), layout="constrained")
    axes = figure.subplots(len(worlds), len(METHODS), sharey=True, squeeze=False)
    for (row, world), (column, method) in itertools.product(enumerate(worlds), enumerate(METHODS)):
        _panel(axes[row][column], results, world, method)
    axes[0][0].legend(fontsize="small")
    return figure


def _panel(axis: Any, results: dict[str, Any], world: str, method: str) -> None:
    own = [each for each in results["cells"].values() if each["world"] == world]
    budgets = sorted({each["budget"] for each in own if each["budget"] is not None})
    for colour, critic in enumerate(("none", *CRITICS)):
        points = [each for each in own if each["critic"] == critic and each["method"] in (method, "none")]
        at = {each["budget"]: each for each in points}
        xs = [budget for budget in budgets if budget in at or None in at]
        ys = [at[budget if budget in at else None] for budget in xs]
        shares = [each["won"] / each["tasks"] for each in ys]
        axis.plot(xs, shares, marker="o", color=f"C{colour}", label=critic, linestyle="--" if None in at else "-")
        axis.fill_between(
            xs, [e["interval"][0] for e in ys], [e["interval"][1] for e in ys], color=f"C{colour}", alpha=0.1
        )
    axis.set(xscale="log", xlabel="budget, simulator steps an episode", title=f"{world}: {method}", ylim=(0, 1.02))
    axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    axis.minorticks_off()
    axis.set_ylabel("solved")


def write_page(results: dict[str, Any]) -> None:
    FIGURE.parent.mkdir(exist_ok=True)
    save_figure(draw(results), FIGURE)
    PAGE.write_text(TABLE.sub(lambda _: "\n" + table(results) + "\n", PAGE.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--budgets", type=int, nargs="+", help="those of each world if not given")
    parser.add_argument(
        "--episodes", type=int, default=80, help="on other tasks, of each of the two agents learnt from"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        write_page(kept(args.out))
        return
    results = run(args.worlds, args.tasks, args.budgets, args.episodes, args.out)
    print(json.dumps({"benchmark": "search_budget", **results}))


if __name__ == "__main__":
    main()
