"""Situations and helpers shared by the tests of the critics."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agentgym_critic.types import Action, Exchange, Experience, Step, Trajectory, Turn


@pytest.fixture
def turn() -> Turn:
    return Turn(
        task="put a mug on the desk",
        observation="You are at the sink. You see a mug 1.",
        admissible_actions=("take mug 1", "go to desk 1", "look"),
        history=(Exchange(observation="You are in a kitchen.", action="go to sink 1"),),
        index=1,
    )


@pytest.fixture
def actions() -> list[Action]:
    return [Action(text="take mug 1"), Action(text="go to desk 1")]


@pytest.fixture
def experiences() -> list[Experience]:
    """Three of each polarity, interleaved, best first."""
    return [
        Experience(
            id=f"{polarity}{number}",
            task="put a mug on the desk",
            state=f"a {polarity} state {number}",
            action=f"{polarity} action {number}",
            outcome=f"{polarity} outcome {number}",
            p=p,
            polarity=polarity,
        )
        for number in range(3)
        for polarity, p in (("unproductive", 0.1), ("productive", 0.9))
    ]


@pytest.fixture
def walk():
    """Builds a trajectory from the states it goes through: `walk("abac", end="success")`."""

    def build(states: str, *, end: str = "step_limit", keys: bool = True, **changes: dict[int, object]) -> Trajectory:
        steps = []
        for index, (here, there) in enumerate(pairwise(states)):
            fields = {name: values[index] for name, values in changes.items() if index in values}
            steps.append(
                Step(
                    **{
                        "index": index,
                        "observation": f"in {here}",
                        "action": Action(text=f"go {there}"),
                        "next_observation": f"in {there}",
                        "reward": 0.0,
                        "state_key": here if keys else "",
                        "next_state_key": there if keys else "",
                        **fields,
                    }
                )
            )
        return Trajectory(id="t", env_id="e", task_id="k", task="arrive", seed=0, steps=tuple(steps), end=end)

    return build
