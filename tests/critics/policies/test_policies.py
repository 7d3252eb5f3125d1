"""Policies: each intervenes where it says, and keeps its settings in its id."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from strategies import probability

from agentgym_critic.critics.policies import (
    HelperPolicy,
    InterventionPolicy,
    RandomPolicy,
    ThresholdPolicy,
    ValuePolicy,
)
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Exchange, Turn, Verdict


def judged(p: float) -> Verdict:
    return Verdict(p=p, critic="c")


def turn_at(index: int, seen: str = "o") -> Turn:
    history = tuple(Exchange(observation=seen, action=str(number)) for number in range(index))
    return Turn(task="t", observation=seen, index=index, history=history)


@given(probability, probability, probability)
def test_by_value_is_by_the_break_even_failure_rate(p: float, recovery: float, disruption: float) -> None:
    assume(recovery + disruption > 1e-6)
    policy = ValuePolicy(recovery=recovery, disruption=disruption)
    break_even = disruption / (recovery + disruption)
    assume(abs((1 - p) - break_even) > 1e-6)
    assert policy.intervenes(turn_at(0), judged(p), 1) == (1 - p > break_even)


def test_the_gain_of_intervening() -> None:
    policy = ValuePolicy(recovery=0.25, disruption=0.15)
    assert [policy.gain(p) for p in (0.0, 0.5, 1.0)] == pytest.approx([0.25, 0.05, -0.15])
    careful = ValuePolicy(recovery=0.25, disruption=0.15, margin=0.05)
    assert [careful.intervenes(turn_at(0), judged(p), 1) for p in (0.4, 0.6)] == [True, False]
    assert careful.id == "value(r=0.25, d=0.15, margin=0.05)"


def test_chance_is_the_turns_own() -> None:
    policy = RandomPolicy(rate=0.3)
    turns = [turn_at(index, f"seen {place}") for index in range(10) for place in range(100)]
    acted = [policy.intervenes(turn, judged(0.5), 1) for turn in turns]
    assert 0.25 < sum(acted) / len(acted) < 0.35
    assert acted == [policy.intervenes(turn, judged(0.9), 3) for turn in turns]
    assert acted != [RandomPolicy(rate=0.3, seed=1).intervenes(turn, judged(0.5), 1) for turn in turns]
    assert not any(RandomPolicy(rate=0.0).intervenes(turn, judged(0.5), 1) for turn in turns)
    assert all(RandomPolicy(rate=1.0).intervenes(turn, judged(0.5), 1) for turn in turns)


def test_a_helper_looks_up_the_step_and_the_bin() -> None:
    policy = HelperPolicy(table=((True, False), (False, True)))
    said = [[policy.intervenes(turn_at(step), judged(p), 1) for p in (0.0, 0.49, 0.5, 1.0)] for step in (0, 1, 7)]
    assert said == [[True, True, False, False], [False, False, True, True], [False, False, True, True]]
    assert policy.id != HelperPolicy(table=((True, False),)).id


@pytest.mark.parametrize(
    ("policy", "settings", "message"),
    [
        (ValuePolicy, {"recovery": 1.5, "disruption": 0}, r"the policy's recovery is in \[0, 1\], got 1.5"),
        (ValuePolicy, {"recovery": 0.5, "disruption": -1}, r"the policy's disruption is in \[0, 1\], got -1"),
        (ValuePolicy, {"recovery": 0.5, "disruption": 0, "margin": 2.0}, r"the policy's margin is in \[-1, 1\], got 2"),
        (ValuePolicy, {"recovery": "a", "disruption": 0}, "ValuePolicy.recovery: Expected `float`, got `str`"),
        (RandomPolicy, {"rate": float("nan")}, r"the policy's rate is in \[0, 1\], got nan"),
        (HelperPolicy, {"table": ()}, r"has rows of one length, of at least one bin; got rows of \[\]"),
        (HelperPolicy, {"table": ((True,), ())}, r"has rows of one length, of at least one bin; got rows of \[1, 0\]"),
    ],
)
def test_what_cannot_be_meant_is_refused(policy: type, settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        policy(**settings)


def test_they_are_policies() -> None:
    table = HelperPolicy(table=((True,),))
    for policy in (table, RandomPolicy(), ThresholdPolicy(threshold=0.3), ValuePolicy(recovery=1, disruption=0)):
        assert isinstance(policy, InterventionPolicy)
    assert not isinstance(object(), InterventionPolicy)
