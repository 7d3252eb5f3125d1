"""Goals: their texts, limits and weights, and what they depend on."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentgym_critic.envs.webshop import goals as module
from agentgym_critic.envs.webshop.goals import (
    UNLIMITED,
    draw_limit,
    draw_price,
    draw_prices,
    human_goals,
    product_goals,
    synthetic_goals,
)
from agentgym_critic.envs.webshop.product import Demand, Product


def lamp(asin: str = "B1", **changes: Any) -> Product:
    known = {
        "title": "Lamp", "category": "garden", "query": "lamps", "product_category": "Home \u203a Lamps",
        "prices": (985.0,), "options": {"size": ("s", "m"), "color": ("red", "blue")},
        "instruction": "Find me a lamp", "instruction_attributes": ("dim",),
        "demands": (Demand(instruction="i want a lamp...", attributes=("dim",), options=("red",)),),
    }  # fmt: skip
    return Product(asin=asin, **known | changes)


def test_goals_of_people() -> None:
    (goal,) = human_goals([lamp()], {"B1": 985.0}, Random(0))
    assert (goal.id, goal.asin, goal.category, goal.query) == ("B1-h0", "B1", "garden", "lamps")
    assert (goal.name, goal.product_category) == ("Lamp", "Home \u203a Lamps")
    assert (goal.instruction_text, goal.price_upper, goal.weight) == ("i want a lamp", UNLIMITED, 1.0)
    assert (goal.attributes, goal.goal_options) == (("dim",), ("red",))


def test_a_goal_for_each_combination_of_options() -> None:
    made = synthetic_goals([lamp()], {"B1": 985.0}, Random(0))
    assert [goal.id for goal in made] == ["B1-s0", "B1-s1", "B1-s2", "B1-s3"]
    assert made[1].goal_options == {"color": "red", "size": "m"}
    assert [goal.instruction_text for goal in made[:2]] == [
        "Find me a lamp with color: red, and size: s",
        "Find me a lamp with color: red, and size: m",
    ]


def test_what_has_no_synthetic_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = {"B1": 985.0}
    assert synthetic_goals([lamp(instruction=None)], prices, Random(0)) == []
    assert synthetic_goals([lamp(options={"size": ("s",), "color": ()})], prices, Random(0)) == []
    monkeypatch.setattr(module, "MOST_GOALS", 3)
    assert synthetic_goals([lamp()], prices, Random(0)) == []


def test_without_options_there_is_one_goal() -> None:
    (goal,) = synthetic_goals([lamp(options={})], {"B1": 985.0}, Random(0))
    assert (goal.instruction_text, goal.goal_options) == ("Find me a lamp", {})


def test_goals_that_share_attributes_weigh_less() -> None:
    rare = lamp("B2", options={}, instruction_attributes=("dim", "brass"))
    made = synthetic_goals([lamp(), rare], {"B1": 985.0, "B2": 985.0}, Random(0))
    assert [goal.weight for goal in made] == [1 / 5] * 4 + [(1 / 5 + 1) / 2]


def test_limits_are_named_in_the_text() -> None:
    (goal,) = human_goals([lamp()], {"B1": 970.0}, Random(0))
    assert goal.price_upper == 990.0
    assert goal.instruction_text == "i want a lamp, and price lower than 990.00 dollars"


def test_a_price_that_is_a_limit_is_none_of_its_own() -> None:
    assert {draw_limit(960.0, Random(seed)) for seed in range(20)} == {980.0, 990.0}


def test_the_higher_two_of_four_limits_are_likelier() -> None:
    rng = Random(0)
    drawn = Counter(draw_limit(95.0, rng) for _ in range(3000))
    assert set(drawn) == {110.0, 120.0, 130.0}
    assert drawn[110.0] < drawn[120.0] < drawn[130.0]


@given(price=st.floats(0, 2000), seed=st.integers())
@example(price=980.0, seed=0)
def test_a_limit_is_above_the_price(price: float, seed: int) -> None:
    limit = draw_limit(price, Random(seed))
    assert limit == UNLIMITED if price >= 980 else price < limit <= min(price + 40, 990)


def test_prices() -> None:
    ranged = lamp(prices=(5.0, 2.0))
    assert draw_price(lamp(prices=(4.5,)), 0) == 4.5
    assert len({draw_price(ranged, seed) for seed in range(9)}) == 9
    assert all(2.0 <= draw_price(ranged, seed) <= 5.0 for seed in range(50))
    assert draw_prices([lamp("B2", prices=(4.5,)), ranged], Random(1)) == {"B2": 4.5, "B1": Random(1).uniform(5.0, 2.0)}


def test_seeded_draws_stay_as_they_are() -> None:
    """Recorded: they may not change from one process or Python to the next."""
    ranged = lamp(prices=(5.0, 200.0))
    assert draw_price(ranged, 3) == pytest.approx(145.09552017566992)
    assert [goal.price_upper for goal in product_goals(ranged, "synthetic", 3)] == [160.0] * 4
    assert [goal.price_upper for goal in product_goals(ranged, "human", 3)] == [180.0]


def test_goals_of_one_product_depend_on_seed_and_product_alone() -> None:
    ranged = lamp(prices=(5.0, 200.0))
    assert product_goals(ranged, "synthetic", 3) == product_goals(ranged, "synthetic", 3)
    texts = {product_goals(ranged, "synthetic", seed)[0].instruction_text for seed in range(9)}
    assert len(texts) > 4
    assert all(goal.price_upper > draw_price(ranged, 3) for goal in product_goals(ranged, "human", 3))
    assert {goal.weight for goal in product_goals(ranged, "synthetic", 3)} == {1.0}
