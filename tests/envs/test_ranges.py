"""Numbers within a range: what is one is kept, all else is refused in words, whatever it is."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from agentgym_critic.envs.ranges import amount, probability, whole
from agentgym_critic.errors import ConfigError


@pytest.mark.parametrize("value", [1, 3, np.int64(2)])
def test_a_whole_number_within_its_range(value: int) -> None:
    kept = whole("size", value, 1, 3)
    assert (kept, type(kept)) == (value, int)


@pytest.mark.parametrize("value", [0, 4, True, 1.0, "2", None, [2], float("nan")])
def test_what_is_no_whole_number_of_the_range_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"size is a whole number from 1 to 3, got {value!r}")):
        whole("size", value, 1, 3)


def test_a_range_without_end() -> None:
    assert whole("seed", 10**30, 0) == 10**30
    with pytest.raises(ConfigError, match=r"^seed is a whole number from 0, got -1$"):
        whole("seed", -1, 0)


@pytest.mark.parametrize("value", [0, 2, 0.5, 1e308])
def test_an_amount_is_a_float(value: float) -> None:
    kept = amount("penalty", value)
    assert (kept, type(kept)) == (value, float)


@pytest.mark.parametrize("value", [-0.1, True, "1", None, float("nan"), float("inf"), 10**400])
def test_what_is_no_amount_is_refused(value: Any) -> None:
    shown = re.escape(repr(value)[:50])
    with pytest.raises(ConfigError, match=f"^penalty is a finite number from 0, got {shown}"):
        amount("penalty", value)


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5", None, float("nan")])
def test_what_is_no_probability_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"luck is a probability from 0 to 1, got {value!r}")):
        probability("luck", value)


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_what_is_one_is_not(value: float) -> None:
    probability("luck", value)
