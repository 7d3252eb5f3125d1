import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import Gate
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Turn, Verdict


def turn_at(index, rejected=()):
    return Turn(task="t", observation="o", index=index, rejected=rejected)


def verdict(p):
    return Verdict.unscored("c", "timeout") if p is None else Verdict(p=p, critic="c")


def test_off_lets_everything_proceed():
    assert Gate().decide(turn_at(5), verdict(0.0), 0) == "proceed"


@pytest.mark.parametrize("mode", ["warn", "regenerate"])
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
        ({"mode": "warm"}, "the gate's mode is one of off, warn, regenerate; got 'warm'; did you mean 'warn'?"),
        ({"mode": "7"}, "the gate's mode is one of off, warn, regenerate; got '7'"),
        ({"mode": "warn", "threshold": 1.5}, "the gate's threshold is a probability in [0, 1], got 1.5"),
        ({"mode": "warn", "threshold": float("nan")}, "the gate's threshold is a probability in [0, 1], got nan"),
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
