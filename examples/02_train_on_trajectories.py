"""Train an agent on collected trajectories: learn from the steps that hindsight calls productive.

Run it: python examples/02_train_on_trajectories.py   (needs torch: pip install ".[lm]")
"""

from __future__ import annotations

from functools import partial

import torch

import agentgym_critic as agc
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import OutcomeHindsightCritic
from agentgym_critic.evaluation import summarize
from agentgym_critic.types import Action, Turn

ACTIONS = ["down", "left", "right", "up"]
SYMBOLS = "#@+$*. -"
ENV = partial(agc.make_env, "agentgym_critic/Sokoban-v0", size=5, boxes=1, max_steps=30)
TRAIN_SEED, TEST_SEED = 0, 100_000


def features(observation: str) -> torch.Tensor:
    """The grid, one-hot: float32 `[25 * len(SYMBOLS)]`."""
    rows = [line for line in observation.splitlines() if line.startswith("#")][-5:]
    cells = torch.tensor([SYMBOLS.index(cell) for cell in "".join(rows)])
    return torch.nn.functional.one_hot(cells, len(SYMBOLS)).float().flatten()


class NetworkAgent:
    """Takes the most likely of the admissible actions."""

    id = "network"

    def __init__(self, network: torch.nn.Module) -> None:
        self.network = network

    def reset(self, seed: int) -> None:
        """Nothing to forget."""

    def propose(self, turn: Turn) -> Action:
        """The admissible action with the highest score."""
        scores = dict(zip(ACTIONS, self.network(features(turn.observation)).tolist(), strict=True))
        return Action(text=max(turn.admissible_actions or ACTIONS, key=lambda action: scores[action]))


def success(store: agc.RunStore, make_agent: partial[NetworkAgent] | type[RandomAgent]) -> float:
    """Share of 100 unseen levels that are solved."""
    collected = agc.collect(ENV, make_agent, store, episodes=100, seed=TEST_SEED)
    return summarize(store.trajectories(collected.run)).success or 0.0


def main() -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(25 * len(SYMBOLS), 128), torch.nn.ReLU(), torch.nn.Linear(128, 4))
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    with agc.RunStore(":memory:") as store:
        run = agc.collect(
            ENV, RandomAgent, store, episodes=1500, seed=TRAIN_SEED, hindsight=OutcomeHindsightCritic()
        ).run
        steps = [step for each in store.trajectories(run) for step in each.steps if step.hindsight]
        good = [step for step in steps if step.hindsight and step.hindsight.label == "productive"]
        print(f"{len(good)} of {len(steps)} steps of a random agent are productive in hindsight")

        x = torch.stack([features(step.observation) for step in good])
        y = torch.tensor([ACTIONS.index(step.action.text) for step in good])
        for _ in range(200):
            loss = torch.nn.functional.cross_entropy(network(x), y)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        print(f"random agent solves {success(store, RandomAgent):.0%}, trained on its own productive steps ", end="")
        print(f"{success(store, partial(NetworkAgent, network)):.0%} of 100 unseen levels")


if __name__ == "__main__":
    main()
