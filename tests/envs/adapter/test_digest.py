from __future__ import annotations

import copy
import random
import re
import subprocess
import sys
from collections import deque
from enum import Enum
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.adapter import state_digest
from agentgym_critic.errors import ConfigError


class Ball:
    def __init__(self, colour: str) -> None:
        self.colour = colour
        self.friend: Ball | None = None

    def __repr__(self) -> str:
        return f"Ball({self.colour})"  # names the test case, alike in every process


class Pair(NamedTuple):
    left: Any
    right: Any


class Tagged(list[int]):
    tag = "none"


class Turn(Enum):
    MINE = 1
    YOURS = 2


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(VALUES, VALUES)
def test_digests_are_equal_exactly_for_equal_values(one: Any, other: Any) -> None:
    assert state_digest(copy.deepcopy(one)) == state_digest(one)
    assert (state_digest(one) == state_digest(other)) == (repr(one) == repr(other) or _same(one, other))


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return repr(one) == repr(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        ([], ()),
        ([[1], 2], [[1, 2]]),
        ({"a": 1}, {"a": 2}),
        ({1, 2}, {1, 3}),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2), np.zeros(2, dtype=int)),
        (np.array([1, "x"], dtype=object), np.array([1, "y"], dtype=object)),
        (Turn.MINE, Turn.YOURS),
        (Ball("red"), Ball("blue")),
        (Pair(1, 2), (1, 2)),
        (deque([1]), deque([2])),
    ],
    ids=repr,
)
def test_what_differs_has_another_digest(one: object, other: object) -> None:
    assert state_digest(one) != state_digest(other)


def test_numpy_scalars_are_the_numbers_they_are() -> None:
    assert state_digest([np.int64(3), np.float64(0.5), np.bool_(True)]) == state_digest([3, 0.5, True])


def test_which_objects_are_the_same_one_counts() -> None:
    red = Ball("red")
    assert state_digest([red, red]) == state_digest(copy.deepcopy([red, red]))
    assert state_digest([red, red]) != state_digest([red, Ball("red")])


def test_objects_may_point_at_each_other() -> None:
    one, other = Ball("red"), Ball("blue")
    one.friend, other.friend = other, one
    assert state_digest(one) == state_digest(copy.deepcopy(one))
    before = state_digest(one)
    other.colour = "green"
    assert state_digest(one) != before


def test_luck_spaces_functions_and_tables_are_no_state() -> None:
    env = gymnasium.make("FrozenLake-v1").unwrapped
    env.reset(seed=0)
    before = state_digest(env)
    env.np_random.random()
    env.action_space.sample()
    env.P = {}
    assert state_digest(env) == before
    env.s = 3
    assert state_digest(env) != before
    assert state_digest([random.Random(0), np.random.RandomState(0), len]) == state_digest(
        [random.Random(1), np.random.RandomState(1), max]
    )


def test_it_is_the_same_in_another_process() -> None:
    value = "{'b': {3, 'x', (1, 2.5)}, 'a': [None, b'y']}"
    program = f"from agentgym_critic.envs.adapter import state_digest; print(state_digest({value}))"
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert told == {state_digest(eval(value)) + "\n"}


def test_what_cannot_be_looked_into_is_refused() -> None:
    message = "states cannot be told apart by a generator, which has no attributes and cannot be pickled; pass state="
    with pytest.raises(ConfigError, match=re.escape(message)):
        state_digest(number for number in (1, 2))
    assert state_digest(iter([1, 2])) != state_digest(iter([1, 3]))
