"""Intervals: they cover as often as they say, and whole episodes are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation.bootstrap import Interval, bootstrap


def mean(rows: np.ndarray) -> float:
    return float(rows.mean())


def test_coverage_of_dependent_steps() -> None:
    """Ten equal steps an episode: an interval that took them for independent would cover about half as often."""
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(200):
        episodes = [np.full(10, rng.normal()) for _ in range(40)]
        found = bootstrap(episodes, mean, resamples=200, seed=trial)
        covered += found.low <= 0 <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_the_same_seed_gives_the_same_interval() -> None:
    episodes = [np.array([0.0, 1.0]), np.array([]), np.array([1.0])]
    assert bootstrap(episodes, mean, seed=3) == bootstrap(episodes, mean, seed=3)
    assert bootstrap(episodes, mean).estimate == pytest.approx(2 / 3)


def test_what_is_undefined_is_left_out() -> None:
    assert bootstrap([np.array([1.0])], lambda _: None) == Interval(None, None, None)
    some = bootstrap([np.array([0.0]), np.array([1.0])], lambda rows: 1.0 if rows.sum() == 1 else None)
    assert some == Interval(1.0, 1.0, 1.0)
    assert bootstrap([np.array([])], mean) == Interval(None, None, None)


@pytest.mark.parametrize("settings", [{"resamples": 0}, {"level": 1.0}])
def test_settings(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"at least one episode and one resample, and a level in \(0, 1\); got 1, "):
        bootstrap([np.array([1.0])], mean, **settings)
    with pytest.raises(ConfigError, match=r"got 0, 1000, 0\.95"):
        bootstrap([], mean)
