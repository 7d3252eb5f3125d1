"""What is learnt from hindsight, and the fit against a plain search for the minimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import AblatedCritic, FunctionCritic, KernelCritic, LearnsFromHindsight, StackedCritic
from agentgym_critic.critics.check import check_critic
from agentgym_critic.critics.logistic import fit_logistic, logit, sigmoid
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Action, Step, Trajectory, Turn, Verdict


def says(p, name="m"):
    return FunctionCritic(lambda turn, action: p if isinstance(p, float) else p(turn), id=name)


def by_observation(name="m"):
    return FunctionCritic(lambda turn, action: float(turn.observation), id=name)


def judge(critic, observation="0.5"):
    return critic.judge(Turn(task="t", observation=observation), [Action(text="go")], [[]])[0]


def episode(critic, pairs):
    """Steps with this critic's verdicts, and hindsight that says what is given."""
    steps = [
        Step(
            index=index, observation=str(seen), action=Action(text="go"), next_observation="", reward=0.0,
            verdict=judge(critic, str(seen)),
            hindsight=Verdict.unscored("h", "error") if truth is None else Verdict(p=truth, critic="h"),
        )
        for index, (seen, truth) in enumerate(pairs)
    ]  # fmt: skip
    return Trajectory(id="t", env_id="e", task_id="t", task="t", seed=0, steps=tuple(steps), end="failure")


def test_before_anything_is_learnt_it_is_the_mean_of_the_logits():
    critic = StackedCritic([says(0.9, "a"), says(0.5, "b")])
    verdict = judge(critic)
    assert verdict.p == pytest.approx(float(sigmoid(np.array(logit(np.array(0.9)) / 2))))
    assert verdict.dimensions == {"a": 0.9, "b": 0.5}
    assert critic.weights == {"bias": 0.0, "a": 0.5, "b": 0.5}
    assert judge(StackedCritic([says(0.7)])).p == pytest.approx(0.7)


def test_an_overconfident_member_is_recalibrated():
    critic = StackedCritic([says(0.95)])
    learnt = critic.learned(episode(critic, [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)] * 50))
    assert judge(learnt).p == pytest.approx(0.25, abs=0.03)
    assert judge(critic).p == pytest.approx(0.95)  # itself it has not changed
    assert learnt.version == critic.version


def test_a_misleading_member_is_turned_around_and_a_useless_one_ignored():
    critic = StackedCritic([by_observation("wrong"), says(0.8, "deaf")])
    learnt = critic.learned(episode(critic, [(0.9, 0.0), (0.1, 1.0)] * 60))
    assert learnt.weights["wrong"] < -1
    assert judge(learnt, "0.9").p < 0.1 < 0.9 < judge(learnt, "0.1").p


def test_what_hindsight_left_open_teaches_nothing():
    critic = StackedCritic([says(0.9)])
    assert critic.learned(episode(critic, [(0, None)] * 5)) is critic


def test_verdicts_of_others_teach_nothing():
    critic = StackedCritic([says(0.9, "mine")])
    other = StackedCritic([says(0.9, "theirs")])
    assert critic.learned(episode(other, [(0, 0.0)] * 20)) is critic


def test_a_member_without_a_verdict_counts_nothing():
    critic = StackedCritic([says(0.8, "a"), FunctionCritic(lambda turn, action: 1 / 0, id="b")])
    verdict = judge(critic)
    assert verdict.p == pytest.approx(float(sigmoid(np.array(logit(np.array(0.8)) / 2))))
    assert "ZeroDivisionError" in verdict.failure_detail
    none = judge(StackedCritic([FunctionCritic(lambda turn, action: 1 / 0, id="b")]))
    assert (none.p, none.failure, none.critic) == (None, "error", "stacked")


def test_contract_and_settings():
    critic = StackedCritic([KernelCritic()])
    assert isinstance(critic, LearnsFromHindsight)
    check_critic(critic, deterministic=True)
    with pytest.raises(ConfigError, match="strength is above 0, got 0"):
        StackedCritic([KernelCritic()], strength=0)
    with pytest.raises(ConfigError, match="at least one member"):
        StackedCritic([])
    with pytest.raises(ConfigError, match="by similarity or by chance, not both"):
        StackedCritic([KernelCritic(), AblatedCritic(KernelCritic(), recall_by="chance")])


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 3), st.floats(0.1, 50))
def test_the_fit_is_the_minimum(seed, n, d, strength):
    rng = np.random.default_rng(seed)
    x, y, start = rng.normal(0, 3, (n, d)), rng.uniform(0, 1, n), rng.normal(0, 1, d)

    def loss(w):
        z = x @ w
        return np.sum(np.logaddexp(0, z) - y * z) + strength / 2 * np.sum((w - start) ** 2)

    best = fit_logistic(x, y, start, strength)
    slope = x.T @ (sigmoid(x @ best) - y) + strength * (best - start)
    assert np.abs(slope).max() < 1e-4
    assert all(loss(best) <= loss(best + rng.normal(0, 0.1, d)) for _ in range(20))


def test_no_data_leave_the_start():
    assert fit_logistic(np.empty((0, 2)), np.empty(0), np.array([1.0, 2.0]), 1.0) == pytest.approx([1.0, 2.0])
