"""States as integers: each fact has its own bit, and patterns select exactly the facts that fit."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.alfworld.native.fluents import KEPT_BITS, Fluent, bits

domains = st.lists(st.lists(st.integers(0, 9), max_size=4, unique=True).map(sorted), min_size=1, max_size=3)


@given(st.integers(0, 2**80))
def test_bits_are_the_ones_of_a_number(number: int) -> None:
    assert sum(1 << bit for bit in bits(number)) == number
    assert list(bits(number)) == sorted(set(bits(number)))


@given(domains, st.integers(0, 70))
def test_every_fact_has_a_bit_of_its_own(domains: list[list[int]], offset: int) -> None:
    fluent = Fluent(domains, offset)
    facts = list(product(*domains))
    found = [fluent.bit(fact) for fact in facts]
    assert sorted(found) == list(range(offset, offset + len(facts)))
    assert [fluent.arguments(bit) for bit in found] == facts
    assert fluent.mask == sum(1 << bit for bit in found)


@given(domains, st.integers(0, 70), st.data())
def test_a_pattern_selects_the_facts_that_fit(domains: list[list[int]], offset: int, data: st.DataObject) -> None:
    fluent = Fluent(domains, offset)
    pattern = tuple(data.draw(st.none() | st.integers(0, 9)) for _ in domains)
    fitting = {
        fact
        for fact in product(*domains)
        if all(wanted in (None, thing) for wanted, thing in zip(pattern, fact, strict=True))
    }
    assert {fluent.arguments(bit) for bit in bits(fluent.matching(pattern))} == fitting


def test_an_object_that_cannot_stand_there_has_no_bit() -> None:
    fluent = Fluent([[1, 2], [3]], 0)
    assert fluent.bit((1, 4)) is None
    assert fluent.matching((None, 4)) == 0


def test_long_masks_are_not_kept() -> None:
    fluent = Fluent([[3, 5, 8]], KEPT_BITS)
    for place, thing in enumerate((3, 5, 8)):
        assert fluent.matching((thing,)) == 1 << KEPT_BITS + place
        assert len(fluent._masks) == 1
