"""The reference's order of goals and its draws, without its data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agentgym_critic.envs.webshop.catalogue import Catalogue
from agentgym_critic.envs.webshop.official import OfficialGoals
from agentgym_critic.envs.webshop.product import Demand, Product
from agentgym_critic.errors import ConfigError


def products(count: int) -> list[Product]:
    demand = Demand(instruction="i want it.", attributes=("dim",))
    return [Product(asin=f"B{number}", title="", prices=(985.0,), demands=(demand,)) for number in range(count)]


def test_the_order_is_the_same_whatever_the_seed() -> None:
    one, other = (OfficialGoals(products(20), "human", Random(seed)) for seed in (1, 2))
    assert one.goals == other.goals
    assert sorted(goal.asin for goal in one.goals) == sorted(f"B{number}" for number in range(20))
    assert [goal.asin for goal in one.goals][:5] == ["B17", "B18", "B9", "B2", "B8"]
    assert one.draw_name() == other.draw_name()


def test_the_first_goal_is_never_drawn_and_the_last_twice_as_often() -> None:
    official = OfficialGoals(products(4), "human", Random(0))
    drawn = Counter(official.draw_index() for _ in range(4000))
    assert set(drawn) == {1, 2, 3}
    assert drawn[3] > drawn[1] + drawn[2] - 300
    assert official.cumulative == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_names_are_ten_small_letters() -> None:
    official = OfficialGoals(products(2), "human", Random(0))
    first, second = official.draw_name(), official.draw_name()
    assert first != second
    assert len(first) == 10
    assert first.isalpha()
    assert first.islower()


def test_a_limit_keeps_distinct_goals() -> None:
    official = OfficialGoals(products(9), "human", Random(0), limit=8)
    whole = OfficialGoals(products(9), "human", Random(0))
    assert len({goal.id for goal in official.goals}) == 8
    assert whole.goals[0] not in official.goals
    assert len(official.cumulative) == 9
    assert OfficialGoals(products(9), "human", Random(0), limit=9).goals == whole.goals


def test_no_goals() -> None:
    with pytest.raises(ConfigError, match="none of the 3 products has a synthetic goal"):
        OfficialGoals(products(3), "synthetic", Random(0))
    with pytest.raises(ConfigError, match="limit must be at least 1 goal; got 0"):
        OfficialGoals(products(3), "human", Random(0), limit=0)


@pytest.mark.data
@pytest.mark.parametrize("case", [0, 1])
def test_the_recorded_limits(case: int, golden: Path, recorded_catalogue: Catalogue) -> None:
    seen = json.loads((golden / "rng_sessions.json").read_text(encoding="utf-8"))[case]
    kind: Any = "human" if seen["human_goals"] else "synthetic"
    catalogue = recorded_catalogue.products()
    official = OfficialGoals(catalogue, kind, Random(seen["seed_before_construction"]), limit=5)
    assert [[goal.asin, goal.instruction_text] for goal in official.goals] == seen["limit_goals_5"]
    whole = OfficialGoals(catalogue, kind, Random(seen["seed_before_construction"]))
    assert [[goal.asin, goal.instruction_text, goal.price_upper] for goal in whole.goals] == seen["goals"]
