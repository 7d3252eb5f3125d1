"""Pilots: estimates against counts, decisions that hold, and what is no pair."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import simple_trajectory

from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import Pair, assess_pilot, matched_pairs
from agentgym_critic.evaluation.pilot import pairs_needed, sign_test
from agentgym_critic.store import RunConfig, RunStore
from agentgym_critic.types import Action, Intervention, Trajectory, Verdict


def ended(success: bool, seed: int, intervened: bool = False) -> Trajectory:
    held_back = Intervention(kind="warn", action=Action(text="a"), verdict=Verdict(p=0.1, critic="c"))
    return msgspec.structs.replace(
        simple_trajectory(steps=1),
        end="success" if success else "failure",
        seed=seed,
        group_id=f"task#{seed}",
        interventions=(held_back,) if intervened else (),
    )


def pairs(both: int = 0, recovered: int = 0, disrupted: int = 0, neither: int = 0) -> list[Pair]:
    outcomes = [(True, True)] * both + [(False, True)] * recovered
    outcomes += [(True, False)] * disrupted + [(False, False)] * neither
    return [Pair(ended(one, seed), ended(other, seed, True)) for seed, (one, other) in enumerate(outcomes)]


count = st.integers(0, 12)


@given(count, count, count, count)
@settings(max_examples=60, deadline=None)
def test_rates_are_shares_of_the_counts(both: int, recovered: int, disrupted: int, neither: int) -> None:
    total = both + recovered + disrupted + neither
    if not total:
        return
    pilot = assess_pilot(pairs(both, recovered, disrupted, neither), resamples=30)
    assert (pilot.pairs, pilot.both_succeeded, pilot.both_failed) == (total, both, neither)
    assert (pilot.recovered, pilot.disrupted, pilot.intervened, pilot.unexplained) == (recovered, disrupted, total, 0)
    p, r, d = pilot.failure_rate.estimate, pilot.recovery.estimate, pilot.disruption.estimate
    assert p == pytest.approx((recovered + neither) / total)
    assert r == (pytest.approx(recovered / (recovered + neither)) if recovered + neither else None)
    assert d == (pytest.approx(disrupted / (disrupted + both)) if disrupted + both else None)
    effect = pilot.effect.estimate
    assert effect == pytest.approx(p * (r or 0.0) - (1 - p) * (d or 0.0))  # the identity of the paper
    assert effect == pytest.approx((recovered - disrupted) / total)
    if r is None or d is None or r + d == 0:
        assert pilot.break_even.estimate is None
    else:
        assert pilot.break_even.estimate == pytest.approx(d / (r + d))
        assert (p > pilot.break_even.estimate + 1e-9) == (recovered > disrupted)
    for interval in (pilot.failure_rate, pilot.effect):
        assert interval.low <= interval.estimate + 1e-9  # type: ignore[operator]
        assert interval.estimate <= interval.high + 1e-9  # type: ignore[operator]


@pytest.mark.parametrize(
    ("counts", "decision"),
    [
        ({"recovered": 12, "neither": 20, "both": 10}, "deploy"),
        ({"disrupted": 12, "neither": 20, "both": 10}, "do not deploy"),
        ({"recovered": 6, "disrupted": 6, "both": 30}, "undecided"),
        ({"recovered": 4, "disrupted": 1, "both": 30}, "undecided"),
        ({"recovered": 5}, "undecided"),  # an interval without width, which a fair coin gives once in sixteen
        ({"recovered": 6}, "deploy"),
        ({"both": 30}, "undecided"),
    ],
)
def test_what_it_comes_to(counts: dict[str, int], decision: str) -> None:
    pilot = assess_pilot(pairs(**counts))
    assert pilot.decision == decision
    assert (pilot.more_pairs == 0) == (decision != "undecided")


def test_a_gate_that_changes_nothing_is_seldom_decided_on() -> None:
    """Recovered and disrupted by a fair coin: at most one pilot in twenty decides."""
    rng, decided = np.random.default_rng(0), 0
    for _ in range(100):
        recovered = int(rng.binomial(20, 0.5))
        decided += assess_pilot(pairs(20, recovered, 20 - recovered, 10), resamples=200).decision != "undecided"
    assert decided <= 8


def test_pairs_of_one_task_and_seed_are_drawn_together() -> None:
    one = pairs(recovered=10, disrupted=2, neither=8)
    five = [each for each in one for _ in range(5)]
    assert assess_pilot(five).effect == assess_pilot(one).effect


def test_how_many_more_pairs_would_decide() -> None:
    assert pairs_needed(0.45, 0.05) == 23  # the example of powerandsamplesize.com for Connor's formula
    assert pairs_needed(0.05, 0.45) == 23
    assert pairs_needed(1.0, 0.0) == 6  # fewer, and the sign test cannot reach 0.05
    assert pairs_needed(0.5, 0.0) == 14
    assert pairs_needed(0.2, 0.2) is None
    assert pairs_needed(0.0, 0.0) is None
    undecided = assess_pilot(pairs(recovered=4, disrupted=1, both=30))
    assert undecided.more_pairs == pairs_needed(4 / 35, 1 / 35) - 35  # type: ignore[operator]
    assert assess_pilot(pairs(both=30)).more_pairs is None


def test_the_number_of_pairs_gives_the_power_it_promises() -> None:
    needed, rng = pairs_needed(0.3, 0.1), np.random.default_rng(1)
    assert needed
    seen = 0
    for _ in range(2_000):
        recovered, disrupted, _ = rng.multinomial(needed, (0.3, 0.1, 0.6))
        seen += sign_test(int(recovered), int(disrupted)) <= 0.05
    assert 0.7 < seen / 2_000 < 0.85  # the exact test is a little more careful than the formula's


@pytest.mark.parametrize(("recovered", "disrupted", "p"), [(0, 0, 1), (3, 3, 1), (5, 0, 1 / 16), (1, 8, 20 / 512)])
def test_the_sign_test_is_exact(recovered: int, disrupted: int, p: float) -> None:
    assert sign_test(recovered, disrupted) == sign_test(disrupted, recovered) == p


def test_the_sign_test_of_many_pairs() -> None:
    assert 0 < sign_test(2_000, 1_000) < 1e-70


def test_what_the_gate_does_not_explain_is_told() -> None:
    dropped = Intervention(kind="substitute", action=Action(text="a"), verdict=Verdict(p=0.1, critic="c"), dropped="no")
    quiet = msgspec.structs.replace(ended(True, 1), interventions=(dropped,))
    pilot = assess_pilot([Pair(ended(False, 1), quiet)], resamples=10)
    assert (pilot.intervened, pilot.unexplained) == (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 7}, "pair 0 is none: its episodes differ in seed, 0 and 7"),
        ({"task_id": "other"}, "pair 0 is none: its episodes differ in task_id, 'task' and 'other'"),
        ({"agent": "b"}, "pair 0 is none: its episodes differ in agent, '' and 'b'"),
    ],
)
def test_episodes_that_are_no_pair(change: dict[str, object], message: str) -> None:
    [pair] = pairs(both=1)
    with pytest.raises(ConfigError) as caught:
        assess_pilot([Pair(pair.without, msgspec.structs.replace(pair.gated, **change))])
    assert str(caught.value) == message


@pytest.mark.parametrize("given", [{"level": 1.0}, {"power": 0.0}])
def test_settings(given: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"at least one pair, and a level and a power in \(0, 1\); got 1, "):
        assess_pilot(pairs(both=1), **given)
    with pytest.raises(ConfigError, match=r"got 0, 0\.95, 0\.8"):
        assess_pilot([])


def test_pairs_are_the_episodes_that_both_runs_have() -> None:
    with RunStore(":memory:") as store:
        without, gated = (store.start_run(RunConfig(env_id="e")) for _ in range(2))
        for run, numbers in ((without, (0, 1, 3)), (gated, (3, 0, 2))):
            for number in numbers:
                store.save(simple_trajectory(f"{run.id}-{number:05d}"), run, number)
        found = matched_pairs(store, without, gated)
        assert [(one.id, other.id) for one, other in found] == [
            (f"{without.id}-{number:05d}", f"{gated.id}-{number:05d}") for number in (0, 3)
        ]
