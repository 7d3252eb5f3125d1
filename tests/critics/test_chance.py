from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.critics.chance import Chance, change_interval, probability_of_rise

chances = st.integers(1, 60).flatmap(lambda n: st.builds(Chance, st.integers(0, n), st.just(n)))
pairs = st.integers(1, 60).flatmap(lambda n: st.tuples(*[st.builds(Chance, st.integers(0, n), st.just(n))] * 2))


@given(chances)
def test_an_interval_holds_its_estimate(chance):
    low, high = chance.interval
    assert 0 <= low <= chance.share + 1e-12
    assert chance.share - 1e-12 <= high <= 1
    assert low < high


@given(chances)
def test_the_posterior_has_the_moments_of_the_beta_distribution(chance):
    a, b = chance.successes + 0.5, chance.trials - chance.successes + 0.5
    assert chance.posterior.mean == pytest.approx(a / (a + b))
    assert chance.posterior.variance == pytest.approx(a * b / ((a + b) ** 2 * (a + b + 1)))


@given(pairs)
def test_a_rise_is_above_a_half_a_fall_below_and_the_two_are_mirrored(pair):
    before, after = pair
    p = probability_of_rise(before, after)
    assert 0 <= p <= 1
    assert np.sign(p - 0.5) == np.sign(after.successes - before.successes)
    assert p + probability_of_rise(after, before) == pytest.approx(1)


@given(pairs)
def test_the_interval_of_a_change_holds_the_change(pair):
    before, after = pair
    low, high = change_interval(before, after)
    assert -1 <= low <= after.share - before.share <= high <= 1


def test_wilson_and_newcombe_as_published():
    """Newcombe 1998 (Statistics in Medicine 17: 873-890), table II, method 10: 56/70 - 48/80 and two others."""
    assert change_interval(Chance(48, 80), Chance(56, 70)) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert change_interval(Chance(3, 10), Chance(9, 10)) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert change_interval(Chance(0, 20), Chance(10, 10)) == pytest.approx((0.6791, 1.0), abs=5e-5)


def test_more_rollouts_make_it_surer():
    assert probability_of_rise(Chance(1, 4), Chance(2, 4)) < probability_of_rise(Chance(10, 40), Chance(20, 40))


def test_the_formula_by_hand():
    """Of 1 and 3 in 4: Beta(1.5, 3.5) and Beta(3.5, 1.5), both of variance 0.21 / 6."""
    assert probability_of_rise(Chance(1, 4), Chance(3, 4)) == pytest.approx(
        NormalDist().cdf((0.7 - 0.3) / (2 * 0.21 / 6) ** 0.5)
    )
