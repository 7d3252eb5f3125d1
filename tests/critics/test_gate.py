import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import Gate
from agentgym_critic.critics.policies import RandomPolicy, ValuePolicy
from agentgym_critic.errors import ConfigError, CriticError
from agentgym_critic.types import Turn, Verdict

MODES = "off, warn, regenerate, substitute, rollback, stop"


def turn_at(index, rejected=()):
    return Turn(task="t", observation="o", index=index, rejected=rejected)


def verdict(p):
    return Verdict.unscored("c", "timeout") if p is None else Verdict(p=p, critic="c")


def test_off_lets_everything_proceed():
    assert Gate().decide(turn_at(5), verdict(0.0), 0) == "proceed"


@pytest.mark.parametrize("mode", ["warn", "regenerate", "substitute", "rollback", "stop"])
@pytest.mark.parametrize(
    ("p", "index", "used", "rejected", "acts"),
    [
        (0.29, 2, 0, (), True),
        (0.3, 2, 0, (), False),
        (0.0, 1, 0, (), False),
        (0.0, 2, 1, (), True),
        (0.0, 2, 2, (), False),
        (0.0, 2, 0, ("look",), False),
        (None, 2, 0, (), False),
    ],
)
def test_it_acts_on_low_scores_within_budget_after_min_step_once_a_step(mode, p, index, used, rejected, acts):
    gate = Gate(mode=mode, threshold=0.3, min_step=2, max_interventions=2)
    assert gate.decide(turn_at(index, rejected), verdict(p), used) == (mode if acts else "proceed")


@settings(deadline=None)
@given(st.lists(st.none() | st.floats(0, 1), max_size=30), st.integers(0, 5), st.integers(0, 5))
def test_the_budget_and_the_first_steps_are_always_respected(ps, min_step, budget):
    gate = Gate(mode="warn", threshold=1.0, min_step=min_step, max_interventions=budget)
    acted = []
    for index, p in enumerate(ps):
        if gate.decide(turn_at(index), verdict(p), len(acted)) != "proceed":
            acted.append(index)
    assert len(acted) <= budget
    assert all(index >= min_step for index in acted)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "warm"}, f"the gate's mode is one of {MODES}; got 'warm'; did you mean 'warn'?"),
        ({"mode": "7"}, f"the gate's mode is one of {MODES}; got '7'"),
        ({"mode": "warn", "threshold": 1.5}, "the gate's threshold is a probability in [0, 1], got 1.5"),
        ({"mode": "warn", "threshold": float("nan")}, "the gate's threshold is a probability in [0, 1], got nan"),
        ({"mode": "warn", "rearm": 1.5}, "the gate's rearm is a probability in [0, 1], got 1.5"),
        ({"mode": "warn", "rearm": 0.2}, "the gate's rearm is at least its threshold 0.3, got 0.2"),
        (
            {"policy": ValuePolicy(recovery=1, disruption=0)},
            "the gate's mode 'off' has no use for policy; change the mode",
        ),
        ({"mode": "warn", "policy": 3}, "Gate.policy: Expected `InterventionPolicy`, got `int`; got 3"),
        (
            {"mode": "warn", "policy": RandomPolicy(rate=0.5), "threshold": 0.5},
            "the gate's policy random(0.5, seed=0) decides instead of the threshold; leave out one",
        ),
        ({"mode": "warn", "min_step": -1}, "the gate's min_step is at least 0, got -1"),
        ({"mode": "warn", "max_interventions": -1}, "the gate's max_interventions is at least 0, got -1"),
        ({"mode": "regenerate", "alternatives": 0}, "the gate's alternatives is at least 1, got 0"),
        ({"mode": "warn", "alternatives": 5}, "the gate's mode 'warn' has no use for alternatives; change the mode"),
        (
            {"threshold": 0.5, "min_step": 2},
            "the gate's mode 'off' has no use for threshold, min_step; change the mode",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(ConfigError) as caught:
        Gate(**settings)
    assert str(caught.value) == message


def test_defaults_given_explicitly_are_fine():
    assert Gate(mode="off", threshold=0.3, alternatives=3) == Gate()
    assert msgspec.json.decode(msgspec.json.encode(Gate(mode="warn")), type=Gate) == Gate(mode="warn")


def test_there_is_nothing_to_take_back_before_the_first_step():
    gate = Gate(mode="rollback")
    assert gate.decide(turn_at(0), verdict(0.0), 0) == "proceed"
    assert gate.decide(turn_at(1), verdict(0.0), 0) == "rollback"


def test_a_gate_that_is_not_armed_lets_proceed_until_a_verdict_is_high_enough():
    gate = Gate(mode="warn", threshold=0.3, rearm=0.6)
    assert gate.decide(turn_at(5), verdict(0.0), 0, armed=False) == "proceed"
    assert [gate.rearms(verdict(p)) for p in (None, 0.3, 0.59, 0.6, 1.0)] == [False, False, False, True, True]
    assert all(Gate(mode="warn").rearms(verdict(p)) for p in (None, 0.0, 1.0))


class Counts:
    """A policy of one's own."""

    id = "counts"

    def intervenes(self, turn, verdict, interventions_left):
        if turn.index == 9:
            raise ValueError("nine")
        return interventions_left > 1


def test_a_policy_decides_within_the_limits():
    gate = Gate(mode="stop", policy=Counts(), min_step=2, max_interventions=3)
    assert [gate.decide(turn_at(5), verdict(0.9), used) for used in range(4)] == ["stop", "stop", "proceed", "proceed"]
    assert gate.decide(turn_at(1), verdict(0.9), 0) == "proceed"
    assert gate.decide(turn_at(5), verdict(None), 0) == "proceed"
    assert gate.decide(turn_at(5, ("look",)), verdict(0.9), 0) == "proceed"


def test_whose_policy_failed_is_said():
    with pytest.raises(CriticError, match="intervention policy counts raised ValueError: nine"):
        Gate(mode="stop", policy=Counts()).decide(turn_at(9), verdict(0.9), 0)
