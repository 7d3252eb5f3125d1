"""Credit: what must hold of every estimator, and each against its equation written out step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic import credit
from agentgym_critic.credit import Rollouts, make_rollouts
from agentgym_critic.errors import ConfigError

REWARDS = st.floats(-10, 10).map(lambda x: round(x, 3)) | st.sampled_from([0.0, 1.0, 0.1])


@st.composite
def batches(draw: st.DrawFn) -> Rollouts:
    episodes = draw(st.lists(st.lists(REWARDS, min_size=1, max_size=6), min_size=1, max_size=8))
    groups = draw(st.lists(st.integers(0, 3), min_size=len(episodes), max_size=len(episodes)))
    return make_rollouts(episodes, groups)


@st.composite
def batches_with(draw: st.DrawFn, numbers: st.SearchStrategy[Any]) -> tuple[Rollouts, np.ndarray]:
    batch = draw(batches())
    size = len(batch.rewards)
    return batch, np.array(draw(st.lists(numbers, min_size=size, max_size=size)))


def means(x: np.ndarray, group: np.ndarray) -> list[float]:
    return [float(x[group == number].mean()) for number in np.unique(group)]


# ------------------------------------------------------------------------------ Invariants


@given(st.lists(REWARDS, max_size=20), st.integers(1, 4), st.sampled_from(["std", "none"]))
def test_normalised_groups_have_mean_zero_and_at_most_unit_spread(x: list[float], groups: int, scale: str) -> None:
    numbers, group = np.array(x, dtype=float), np.arange(len(x)) % groups
    y = credit.normalised(numbers, group, scale=scale)
    assert means(y, group) == pytest.approx([0.0] * len(np.unique(group)), abs=1e-8)
    for number in np.unique(group):
        own, result = numbers[group == number], y[group == number]
        if len(own) == 1 or np.ptp(own) == 0:
            assert not result.any()
        elif scale == "none":
            assert result == pytest.approx(own - own.mean(), abs=1e-8)
        else:
            assert result == pytest.approx((own - own.mean()) / (own.std(ddof=1) + 1e-6), abs=1e-6)


@given(batches_with(st.integers(0, 4)))
def test_no_estimator_gives_nan_and_no_contrast_gives_zero(case: tuple[Rollouts, np.ndarray]) -> None:
    batch, anchor = case
    flat = batch._replace(rewards=np.zeros(len(batch.rewards)))
    for estimate in (
        credit.grpo, credit.rloo, lambda b: credit.gigpo(b, anchor), lambda b: credit.turn_critic(b, anchor / 4),
        lambda b: credit.grpo(b, over="steps"),
    ):  # fmt: skip
        assert np.isfinite(estimate(batch)).all()
    for estimate in (credit.grpo, credit.rloo, lambda b: credit.gigpo(b, anchor)):
        assert not estimate(flat).any()


@given(batches())
def test_lone_episodes_get_nothing(batch: Rollouts) -> None:
    alone = batch._replace(group=np.arange(len(batch.group)))
    assert not credit.grpo(alone).any()
    assert not credit.rloo(alone).any()


@given(batches())
def test_a_longer_episode_does_not_weigh_more(batch: Rollouts) -> None:
    """Steps without reward at the end of the first episode change nobody's advantage, unless rows are counted."""
    pad = make_rollouts(
        [np.append(batch.rewards[batch.episode == number], [0.0] * (5 if number == 0 else 0))
         for number in range(len(batch.group))],
        batch.group,
    )  # fmt: skip
    first = [
        credit.grpo(each)[each.episode == number][0] for each in (batch, pad) for number in range(len(batch.group))
    ]
    assert first[: len(batch.group)] == pytest.approx(first[len(batch.group) :], abs=1e-6)


def test_rows_can_be_counted_if_asked() -> None:
    batch = make_rollouts([[1.0, 0.0, 0.0], [0.0]])
    assert credit.grpo(batch)[-1] == pytest.approx(-credit.grpo(batch)[0])
    rows = credit.grpo(batch, over="steps")
    assert rows[-1] != pytest.approx(-rows[0])
    assert rows.mean() == pytest.approx(0)


# ------------------------------------------------------------------------------ Against the equations


@given(batches_with(st.floats(-5, 5)), st.floats(0, 1), st.floats(0, 1))
def test_returns_and_gae_by_their_sums(case: tuple[Rollouts, np.ndarray], gamma: float, lam: float) -> None:
    batch, values = case
    ends = np.arange(len(batch.group), dtype=float)
    found, advantages = (
        credit.discounted_returns(batch, gamma),
        credit.gae(batch, values, gamma=gamma, lam=lam, last_values=ends),
    )
    for number in range(len(batch.group)):
        own = np.flatnonzero(batch.episode == number)
        rewards, after = batch.rewards[own], np.append(values[own][1:], ends[number])
        deltas = rewards + gamma * after - values[own]
        for t in range(len(own)):
            powers = np.arange(len(own) - t)
            assert found[own[t]] == pytest.approx((gamma**powers * rewards[t:]).sum(), abs=1e-6)
            assert advantages[own[t]] == pytest.approx(((gamma * lam) ** powers * deltas[t:]).sum(), abs=1e-6)


@given(batches())
def test_rloo_by_its_definition(batch: Rollouts) -> None:
    found = credit.rloo(batch)
    for number, own in enumerate(batch.returns):
        others = [
            r for other, r in enumerate(batch.returns) if other != number and batch.group[other] == batch.group[number]
        ]
        expected = own - np.mean(others) if others else 0.0
        assert found[batch.episode == number] == pytest.approx(expected, abs=1e-6)


@given(batches_with(st.integers(0, 3)), st.floats(0, 1))
def test_gigpo_compares_steps_of_one_state_within_a_group(case: tuple[Rollouts, np.ndarray], gamma: float) -> None:
    batch, anchor = case
    local = credit.gigpo(batch, anchor, gamma=gamma) - credit.grpo(batch)
    to_go = credit.discounted_returns(batch, gamma)
    for step in range(len(anchor)):
        alike = [
            other for other in range(len(anchor))
            if anchor[other] == anchor[step] and batch.group[batch.episode[other]] == batch.group[batch.episode[step]]
        ]  # fmt: skip
        spread = np.std(to_go[alike], ddof=1) if len(alike) > 1 else 0.0
        if spread > 1e-6:
            assert local[step] == pytest.approx((to_go[step] - to_go[alike].mean()) / (spread + 1e-6), abs=1e-4)
        elif len(alike) == 1:
            assert local[step] == 0
    assert credit.gigpo(batch, anchor, weight=0.0) == pytest.approx(credit.grpo(batch))


def test_turn_critic_leaves_unscored_steps_to_the_outcome() -> None:
    batch = make_rollouts([[0.0, 1.0], [0.0, 0.0]])
    judged = np.array([1.0, np.nan, 0.0, 0.5])
    turn = (credit.turn_critic(batch, judged, alpha=0.5) - credit.grpo(batch)) / 0.5
    assert turn[1] == 0
    assert turn[[0, 2, 3]] == pytest.approx([1.0, -1.0, 0.0], abs=1e-5)


def test_mc_grpo_is_absolute_where_all_chose_alike() -> None:
    values = np.array([1.0, 2.0, 6.0])
    assert credit.mc_grpo(values, np.array([0, 2, 2, 2])) == pytest.approx([-1.5, 0.5, 0.5, 0.5], abs=1e-5)
    same = credit.mc_grpo(values, np.array([2, 2]))
    assert same == pytest.approx([(6 - 3) / np.std(values, ddof=1)] * 2, abs=1e-5)


@given(batches_with(st.floats(0, 3)))
def test_redistribution_keeps_the_return(case: tuple[Rollouts, np.ndarray]) -> None:
    batch, importance = case
    moved = batch._replace(rewards=credit.redistributed(batch, importance))
    assert moved.returns == pytest.approx(batch.returns, abs=1e-6)
    for number in range(len(batch.group)):
        own = batch.episode == number
        if importance[own].sum() > 0 and batch.returns[number]:
            share = moved.rewards[own] / batch.returns[number]
            assert share == pytest.approx(importance[own] / importance[own].sum(), abs=1e-6)


@given(batches_with(st.floats(-3, 3)), st.floats(0, 1))
def test_shaping_only_adds_what_depends_on_where_it_began(case: tuple[Rollouts, np.ndarray], gamma: float) -> None:
    batch, potential = case
    shaped = batch._replace(rewards=credit.shaped_rewards(batch, potential, gamma=gamma))
    difference = credit.discounted_returns(shaped, gamma) - credit.discounted_returns(batch, gamma)
    assert difference == pytest.approx(-potential, abs=1e-6)


def test_empg_by_hand() -> None:
    batch = make_rollouts([[0.0, 1.0], [0.0]])
    advantages, entropy = np.array([1.0, 1.0, -2.0]), np.array([0.0, 2.0, 1.0])
    scaled = entropy / (2 + 1e-8)
    sure = np.exp(-scaled)
    expected = advantages * sure / sure.mean() + 0.1 * np.array([sure[1], 0.0, 0.0])
    assert credit.empg(batch, advantages, entropy) == pytest.approx(expected - expected.mean())
    assert credit.empg(batch, advantages, entropy).mean() == pytest.approx(0)


def test_hicra_by_hand() -> None:
    found = credit.hicra(np.array([1.0, -1.0, 2.0]), np.array([True, True, False]), alpha=0.2)
    assert found == pytest.approx([1.2, -0.8, 2.0])


def test_mixed_values() -> None:
    assert credit.mixed_values(np.array([1.0]), np.array([3.0]), 0.75) == pytest.approx([2.5])


# ------------------------------------------------------------------------------ Put together


def test_a_component_that_is_off_changes_nothing() -> None:
    parts = {"a": np.array([1.0, 0.0]), "b": np.array([np.nan, 2.0])}
    whole = credit.combine(parts, {"b": 0.0})
    assert whole.advantages == pytest.approx([1.0, 0.0])
    assert whole.components.keys() == {"a"}
    assert whole.shares == {"a": 0.5, "total": 0.5}
    both = credit.combine({"a": parts["a"], "b": np.array([0.0, 2.0])}, {"b": 0.5})
    assert both.advantages == pytest.approx([1.0, 1.0])
    assert both.components["b"] == pytest.approx([0.0, 1.0])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.data())
def test_each_advantage_lands_on_its_own_action_and_on_nothing_else(lengths: list[int], data: st.DataObject) -> None:
    advantages = np.arange(1.0, len(lengths) + 1)
    step = np.concatenate([np.concatenate([[-1], [number] * length]) for number, length in enumerate(lengths)])
    tokens = credit.on_tokens(advantages, step.astype(np.int64))
    for number, length in enumerate(lengths):
        assert tokens[step == number].tolist() == [advantages[number]] * length
    assert not tokens[step == -1].any()


def test_groups_are_numbered_as_they_appear() -> None:
    assert credit.group_of(["b", "a", "b", ("x", 1)]).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_rollouts([]), "at least one episode, and a group for each; got 0 episodes"),
        (lambda: make_rollouts([[1.0]], [0, 1]), r"got 1 episodes, groups \(2,\)"),
        (lambda: make_rollouts([[float("nan")]]), "rewards are finite numbers; got nan"),
        (lambda: credit.discounted_returns(make_rollouts([[1.0]]), 1.5), r"gamma is in \[0, 1\], got 1\.5"),
        (
            lambda: credit.gae(make_rollouts([[1.0]]), np.zeros(2)),
            r"a value for each of 1 steps and of 1 ends; got \(2,\)",
        ),
        (
            lambda: credit.gigpo(make_rollouts([[1.0]]), np.zeros(3, int)),
            r"anchor has a number for each of 1 steps; got \(3,\)",
        ),
        (
            lambda: credit.gigpo(make_rollouts([[1.0]]), ["hall"]),
            r"anchor holds numbers; got an array of <U4; number names by group_of",
        ),
        (lambda: credit.normalised(np.zeros(1), np.zeros(1, int), scale="max"), "scale is 'std' or 'none'.*got 'max'"),
        (
            lambda: credit.redistributed(make_rollouts([[1.0]]), np.array([-1.0])),
            r"importance is not negative, got -1\.0",
        ),
        (
            lambda: credit.empg(make_rollouts([[1.0]]), np.zeros(1), np.array([np.inf])),
            "a finite entropy for each of 1",
        ),
        (lambda: credit.hicra(np.zeros(1), np.zeros(2, bool)), r"a flag for each advantage; got \(2,\) for \(1,\)"),
        (lambda: credit.combine({}), "components are of one length; got {}"),
        (
            lambda: credit.combine({"a": np.zeros(1)}, {"b": 1.0}),
            r"there are weights for \['b'\], and the components are",
        ),
        (lambda: credit.combine({"a": np.array([0.0, np.nan])}), "the component 'a' is not finite at step 1"),
        (lambda: credit.on_tokens(np.zeros(1), np.array([0, 1])), "tokens belong to steps 0 to 0, or -1; got 0 to 1"),
    ],
)
def test_what_does_not_fit(call: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        call()
