"""Calibration against what the definitions say, step by step, and on cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation.calibration import brier_parts, brier_score, calibration_error, reliability

PAIRS = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20) | st.floats(0, 1), st.booleans()), min_size=1)
BINNINGS = st.sampled_from(["width", "mass"])


def test_by_hand() -> None:
    p, y = [0.05, 0.15, 0.12, 0.95, 1.0], [False, False, True, True, True]
    first, second, last = reliability(p, y)
    assert (first.low, first.high, first.count, first.frequency) == (0.0, 0.1, 1, 0.0)
    assert (second.count, second.mean_p, second.frequency) == (2, pytest.approx(0.135), 0.5)
    assert (last.count, last.gap) == (2, pytest.approx(-0.025))
    assert calibration_error(p, y) == pytest.approx((0.05 + 2 * 0.365 + 2 * 0.025) / 5)
    assert brier_score(p, y) == pytest.approx((0.05**2 + 0.15**2 + 0.88**2 + 0.05**2) / 5)


def test_borders() -> None:
    assert [(each.low, each.count) for each in reliability([0.0, 0.5, 1.0], [0, 1, 1], bins=2)] == [(0, 1), (0.5, 2)]
    assert [each.count for each in reliability([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], bins=2, binning="mass")] == [2, 2]
    assert [each.count for each in reliability([0.5, 1.0], [0, 1], bins=2, binning="mass")] == [1, 1]
    assert [each.count for each in reliability([0.5] * 9, [1] * 9, bins=3, binning="mass")] == [9]


@given(pairs=PAIRS, bins=st.integers(1, 12), binning=BINNINGS)
def test_bins_share_out_all_steps(pairs: list[tuple[float, bool]], bins: int, binning: str) -> None:
    p, y = zip(*pairs, strict=True)
    diagram = reliability(p, y, bins=bins, binning=binning)
    assert len(diagram) <= bins
    assert sum(each.count for each in diagram) == len(p)
    for each in diagram:
        inside = [own for own in p if each.low <= own < each.high or (own == 1 and each is diagram[-1])]
        assert each.count == len(inside)
        assert each.mean_p == pytest.approx(sum(inside) / len(inside))
    assert 0 <= calibration_error(p, y, bins=bins, binning=binning) <= 1


@given(pairs=PAIRS)
def test_the_parts_make_up_the_score(pairs: list[tuple[float, bool]]) -> None:
    p, y = zip(*pairs, strict=True)
    parts = brier_parts(p, y)
    assert parts.score == brier_score(p, y)
    assert parts.reliability - parts.resolution + parts.uncertainty == pytest.approx(parts.score, abs=1e-12)


@given(y=st.lists(st.booleans(), min_size=1))
def test_the_truth_and_the_base_rate(y: list[bool]) -> None:
    assert calibration_error(y, y) == brier_score(y, y) == 0
    base = [float(np.mean(y))] * len(y)
    assert calibration_error(base, y) == pytest.approx(0)
    assert brier_parts(base, y).resolution == pytest.approx(0)


@pytest.mark.parametrize(
    ("p", "y", "message"),
    [
        ([], [], r"at least one number each; got \(0,\), \(0,\)"),
        ([0.5], [1, 0], r"as long as each other.*got \(1,\), \(2,\)"),
        ([1.5], [1], r"probabilities in \[0, 1\]; got 1\.5; leave unscored ones out"),
        ([float("nan")], [1], r"got nan; leave unscored ones out"),
        ([0.5], [0.3], r"True or False; got 0\.3"),
    ],
)
def test_what_does_not_fit(p: list[float], y: list[float], message: str) -> None:
    for measure in (reliability, calibration_error, brier_score, brier_parts):
        with pytest.raises(ConfigError, match=message):
            measure(p, y)


def test_bins_out_of_range() -> None:
    with pytest.raises(ConfigError, match="bins is at least 1 and binning 'width' or 'mass'; got 0 and 'width'"):
        reliability([0.5], [1], bins=0)
    with pytest.raises(ConfigError, match="got 10 and 'size'"):
        reliability([0.5], [1], binning="size")
