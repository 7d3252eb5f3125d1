"""Choices: within bounds, none twice, in order where promised, and each possible."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.webshop.world.dice import Dice


@given(seed=st.text(max_size=5), size=st.integers(1, 20), data=st.data())
def test_choices(seed: str, size: int, data: st.DataObject) -> None:
    dice, among, count = Dice(seed), range(size), data.draw(st.integers(0, size))
    some, subset = dice.some(among, count), dice.subset(among, count)
    assert len(set(some)) == len(set(subset)) == count
    assert set(some) <= set(among)
    assert list(subset) == sorted(set(among) & set(subset))
    assert dice.pick(among) in among
    assert 3 <= dice.number(3, 3 + size) <= 3 + size


def test_every_choice_comes_about_as_often() -> None:
    dice = Dice("fair")
    for drawn in (
        [dice.pick("abcd") for _ in range(4_000)],
        [dice.number(1, 4) for _ in range(4_000)],
        [one for _ in range(2_000) for one in dice.subset("abcd", 2)],
        [one for _ in range(2_000) for one in dice.some("abcd", 2)],
    ):
        assert all(850 < times < 1_150 for times in Counter(drawn).values())
    assert 850 < sum(dice.chance(0.25) for _ in range(4_000)) < 1_150


def test_the_same_seed_gives_the_same() -> None:
    assert [Dice("a").some(range(9), 4) for _ in range(2)] == [Dice("a").some(range(9), 4)] * 2
    assert Dice("a").some(range(99), 9) != Dice("b").some(range(99), 9)
