"""Plug in a critic of your own, check that it keeps its promises, and let it intervene.

Run it: python examples/03_own_critic.py
"""

from __future__ import annotations

from collections.abc import Sequence

import agentgym_critic as agc
from agentgym_critic.agents import RandomAgent
from agentgym_critic.types import Action, Experience, Turn, Verdict


class LookBack:
    """Believes what the bank says: the mean of the recalled hindsight judgements, by similarity."""

    id = "look-back"
    version = "1"
    recall_k = 3

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict an action; 0.5 where nothing like it has been seen."""
        return [self._verdict(action, recalled) for action, recalled in zip(actions, experiences, strict=True)]

    def _verdict(self, action: Action, recalled: Sequence[Experience]) -> Verdict:
        weights = [max(each.similarity, 0.0) for each in recalled]
        total = sum(weights)
        p = sum(w * each.p for w, each in zip(weights, recalled, strict=True)) / total if total else 0.5
        return Verdict(
            p=min(max(p, 0.0), 1.0),
            critic=self.id,
            version=self.version,
            critique=f"{len(recalled)} experiences say {p:.0%} for {action.text!r}.",
            recalled=tuple(each.id for each in recalled),
        )


def main() -> None:
    critic = LookBack()
    agc.check_critic(critic)

    env = agc.make_env("agentgym_critic/Sokoban-v0", size=5, max_steps=30)
    hindsight = agc.make("hindsight", "outcome")
    with agc.MemoryBank(":memory:") as bank:
        for seed in range(20):  # the same five levels over and over: the bank learns them
            trajectory = agc.run_episode(
                env,
                RandomAgent(),
                seed=seed % 5,
                critic=critic,
                gate=agc.Gate(mode="regenerate", threshold=0.5, alternatives=4, max_interventions=30),
                hindsight=hindsight,
                bank=bank,
                place=agc.Place(trajectory_id=f"episode-{seed}", agent_seed=seed, stream_position=seed),
            )
            bank.remember(trajectory)
            changed = sum(bool(step.interventions) for step in trajectory.steps)
            print(f"episode {seed}: {trajectory.end} after {len(trajectory.steps)} steps, {changed} interventions")


if __name__ == "__main__":
    main()
