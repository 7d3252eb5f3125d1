from __future__ import annotations

import re

import pytest

from agentgym_critic.envs.toytext.grid import check_probability, picture, place
from agentgym_critic.errors import ConfigError


def test_the_player_is_drawn_into_the_picture() -> None:
    assert picture(["abc", "def"], 1, 2) == "abc\nde@"
    assert place(0, 9) == "row 1, column 10"


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5", None, float("nan")])
def test_what_is_no_probability_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"luck is a probability from 0 to 1, got {value!r}")):
        check_probability("luck", value)


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_what_is_one_is_not(value: float) -> None:
    check_probability("luck", value)
