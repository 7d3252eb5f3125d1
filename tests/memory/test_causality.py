"""A recall before a position depends on the trajectories before it, and on nothing else."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.memory import HashingEmbedder, MemoryBank
from agentgym_critic.types import Action, Turn

TASKS = ["find the mug", "cool the egg in the fridge"]
STATES = ["a kitchen with a mug", "a kitchen  with a mug ", "a hall", "#@ .#\n#####", ""]
ACTIONS = ["take mug", "take  mug", "take mug\n", "go to hall"]

judged = st.tuples(
    st.sampled_from(STATES),
    st.sampled_from(ACTIONS),
    st.sampled_from(STATES),
    st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]),
)
stream = st.lists(
    st.tuples(st.lists(judged, max_size=5), st.sampled_from(TASKS), st.integers(0, 6)), min_size=1, max_size=8
)


def recalls(bank: MemoryBank, before: int | None):
    return [
        bank.recall(Turn(task=task, observation=state), Action(text="take mug"), 3, before=before)
        for task in TASKS
        for state in STATES
    ]


@settings(deadline=None, max_examples=60)
@given(stream=stream, before=st.integers(0, 7), order=st.randoms(use_true_random=False))
def test_recall_is_the_same_whatever_else_is_remembered_in_whatever_order(reviewed, stream, before, order) -> None:
    trajectories = [
        reviewed(f"t{number}", steps, task=task, position=position)
        for number, (steps, task, position) in enumerate(stream)
    ]
    shuffled = order.sample(trajectories, len(trajectories))
    with MemoryBank(":memory:") as alone, MemoryBank(":memory:") as crowded:
        for trajectory in trajectories:
            if trajectory.stream_position < before:
                alone.remember(trajectory)
        expected = recalls(alone, None)
        for trajectory in shuffled:
            crowded.remember(trajectory)
            recalls(crowded, before)  # fills the caches at every size
        assert recalls(crowded, before) == expected
        assert recalls(alone, before) == expected


def test_rankings_of_a_large_bank_do_not_change_in_the_last_bit(reviewed) -> None:
    """Many near ties, where a sum in another order would change places."""
    rng = random.Random(1)
    words = [f"word{number}" for number in range(40)]

    def trajectory(number: int):
        steps = [
            (" ".join(rng.choices(words, k=12)), rng.choice(words), "done", rng.choice([0.0, 1.0])) for _ in range(30)
        ]
        return reviewed(f"t{number}", steps, position=number)

    turns = [Turn(task="find the mug", observation=" ".join(rng.choices(words, k=12))) for _ in range(20)]
    with MemoryBank(":memory:", HashingEmbedder(64)) as bank:
        for number in range(20):
            bank.remember(trajectory(number))
        then = [bank.recall(turn, Action(text="word1"), 50) for turn in turns]
        for number in range(20, 60):
            bank.remember(trajectory(number))
            assert [bank.recall(turn, Action(text="word1"), 50, before=20) for turn in turns] == then
