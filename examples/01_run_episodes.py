"""Register an environment of your own, run episodes in it, and read what was judged.

Run it: python examples/01_run_episodes.py
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np

import agentgym_critic as agc
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import OutcomeHindsightCritic, RuleCritic
from agentgym_critic.envs import Outcome


class Thermostat(agc.TextEnv):
    """Bring a room to 20 degrees in steps of one."""

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self.degrees = int(rng.integers(15, 26))
        return self._view()

    def _act(self, action: str) -> Outcome:
        self.degrees += {"warmer": 1, "cooler": -1, "wait": 0}[action]
        done = self.degrees == 20
        return Outcome(self._view(), reward=float(done), terminated=done, success=done)

    def _admissible(self) -> list[str]:
        return ["cooler", "wait", "warmer"]

    def _view(self) -> str:
        return f"The room has {self.degrees} degrees."

    def _get_world(self) -> int:
        return self.degrees

    def _set_world(self, world: int) -> None:
        self.degrees = world

    def _state_key(self) -> str:
        return str(self.degrees)

    def _task(self) -> tuple[str, str]:
        return "thermostat-20", "Bring the room to 20 degrees."


def main() -> None:
    gymnasium.register("examples/Thermostat-v0", entry_point=f"{__name__}:Thermostat", order_enforce=False)
    agc.check_text_env(agc.make_env("examples/Thermostat-v0"))  # seeds, snapshots, illegal actions, ...

    with agc.RunStore(":memory:") as store, agc.MemoryBank(":memory:") as bank:
        collected = agc.collect(
            partial(agc.make_env, "examples/Thermostat-v0", max_steps=30),
            RandomAgent,
            store,
            episodes=5,
            critic=RuleCritic(),
            hindsight=OutcomeHindsightCritic(),
            bank=bank,
        )
        for trajectory in store.trajectories(collected.run):
            print(f"{trajectory.id}: {trajectory.end} after {len(trajectory.steps)} steps")
            for step in trajectory.steps[:3]:
                assert step.verdict
                assert step.hindsight
                print(f"  {step.action.text:7} before p={step.verdict.p}  in hindsight p={step.hindsight.p}")
        print(f"the bank holds {bank.stats().experiences} experiences")


if __name__ == "__main__":
    main()
