"""Plain records, and what worker processes of the tests do with them."""

from __future__ import annotations

from pathlib import Path

from agentgym_critic.store import RunConfig, RunStore
from agentgym_critic.types import Action, Step, Trajectory, Verdict

CONFIG = RunConfig(env_id="x/Y-v0", env_settings={"size": [6, 6], "split": "train"}, agent="random", seed=3)


def simple_trajectory(trajectory_id: str = "t", steps: int = 2) -> Trajectory:
    return Trajectory(
        id=trajectory_id,
        env_id="x/Y-v0",
        task_id="task",
        task="Do it.",
        seed=0,
        end="success",
        steps=tuple(
            Step(
                index=index,
                observation=f"seen {index}",
                action=Action(text="go"),
                next_observation=f"seen {index + 1}",
                reward=0.5,
                verdict=Verdict(p=0.25, critic="before"),
                hindsight=Verdict(p=None, critic="after", failure="timeout"),
            )
            for index in range(steps)
        ),
    )


def save_many(path: Path, run_id: str, first: int, count: int) -> None:
    with RunStore(path) as store:
        for episode in range(first, first + count):
            store.save(simple_trajectory(f"{run_id}-{episode}"), store.run(run_id), episode)
