from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete, MultiDiscrete

from agentgym_critic.envs.adapter.actions import named_actions
from agentgym_critic.errors import ConfigError


def test_names_stand_for_actions_in_their_order() -> None:
    assert named_actions(Discrete(3), ["a", "b", "c"]) == {"a": 0, "b": 1, "c": 2}
    assert named_actions(Discrete(2, start=-1), ("back", "on")) == {"back": -1, "on": 0}


def test_a_mapping_names_actions_of_any_space_and_not_all_of_them() -> None:
    pair = np.array([1, 0])
    assert named_actions(MultiDiscrete([2, 2]), {"left arm": pair}) == {"left arm": pair}
    assert named_actions(Discrete(5), {"jump": 4}) == {"jump": 4}


@pytest.mark.parametrize(
    ("space", "actions", "message"),
    [
        (Discrete(2), ["a"], "Discrete(2) has 2 actions, got 1 names: ['a']"),
        (Discrete(2), ["a", "a"], "actions are named once each, and one at least; got ['a', 'a']"),
        (Discrete(2), {}, "actions are named once each, and one at least; got []"),
        (Discrete(2), "ab", "actions is a sequence of names or a mapping from names to actions, got 'ab'"),
        (Discrete(2), 2, "actions is a sequence of names or a mapping from names to actions, got 2"),
        (Discrete(2), ["a", ""], "1 to 1000 characters without space around; got ''"),
        (Discrete(2), ["a", " b"], "without space around; got ' b'"),
        (Discrete(2), ["a", "b\nc"], "an action's name is one line of 1 to 1000 characters"),
        (Discrete(2), ["a", 1], "without space around; got 1"),
        (Discrete(2), {"a": 2}, "the action 'a' stands for 2, which is not in Discrete(2)"),
        (
            MultiDiscrete([2, 2]),
            ["a"],
            "a list of names needs a Discrete action space; for MultiDiscrete([2 2]) map names to actions",
        ),
    ],
)
def test_names_that_do_not_fit_are_refused(space: Any, actions: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        named_actions(space, actions)
