"""The rules of the reward, each on a purchase made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.webshop.goals import Goal
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.article import Likeness, compare
from agentgym_critic.envs.webshop.reward.nouns import WordNouns
from agentgym_critic.envs.webshop.reward.score import best_purchase, score

NOUNS = WordNouns()
KETTLE = Product(
    asin="B1", title="Steel Kettle", description="Boils WATER fast.", bullets=("Easy to", "clean and light."),
    options={"color": ("navy blue", "rose"), "size": ("1 liter", "2 liter")}, attributes=("heavy duty",),
    query="kettles", product_category="Home \u203a Kitchen \u203a Kettles",
)  # fmt: skip
WANTED = Goal(
    id="B1-h0", asin="B1", category="", query="kettles", name="Steel Kettle", instruction_text="",
    product_category="Home \u203a Kitchen \u203a Kettles", attributes=("heavy duty",), price_upper=50.0,
)  # fmt: skip


def wanted(**changes: Any) -> Goal:
    return Goal(**({name: getattr(WANTED, name) for name in WANTED.__struct_fields__} | changes))


def attribute_share(attribute: str) -> float | None:
    return score(KETTLE, wanted(attributes=(attribute,)), 10.0, {}, NOUNS).r_att


def factor(**changes: Any) -> float:
    return compare(KETTLE, wanted(**changes), NOUNS).factor


def test_all_that_was_asked_for() -> None:
    seen = score(KETTLE, wanted(goal_options={"size": "2 liter"}), 50.0, {"size": "2 liter"}, NOUNS)
    assert (seen.reward, seen.r_type, seen.r_att, seen.r_option, seen.r_price) == (1.0, 1.0, 1.0, 1.0, True)
    assert (seen.w_att, seen.w_option, seen.w_price) == (1 / 3, 1 / 3, 1 / 3)


def test_each_part_that_is_missing_costs_its_weight() -> None:
    goal = wanted(goal_options=("2 liter", "rose"))
    assert score(KETTLE, goal, 50.01, {"size": "2 liter", "color": "rose"}, NOUNS).reward == 3 / 4
    assert score(KETTLE, goal, 50.0, {"size": "2 liter"}, NOUNS).reward == 3 / 4
    assert score(KETTLE, wanted(attributes=("vegan", "heavy duty")), 50.0, {}, NOUNS).reward == 2 / 3
    assert score(KETTLE, wanted(attributes=("vegan",)), 60.0, {}, NOUNS).reward == 0.0


@pytest.mark.parametrize(
    ("attribute", "share"),
    [
        ("duty heavy", 1.0),  # the same words
        ("water", 1.0),  # in the description, in other letters
        ("easy to clean", 1.0),  # across two bullets
        ("steel ket", 1.0),  # within the title, be it no whole word
        ("WATER", 0.0),  # what is asked for is not put into small letters
        ("light weight", 0.0),
        ("", 1.0),  # occurs in every text
    ],
)
def test_attributes(attribute: str, share: float) -> None:
    assert attribute_share(attribute) == share


def test_options_may_be_met_by_other_values_of_the_colour() -> None:
    assert score(KETTLE, wanted(goal_options=("dark blue",)), 1.0, {"color": "navy blue"}, NOUNS).r_option == 1.0


def test_a_named_option_is_met_by_its_words_under_any_name() -> None:
    goal = wanted(goal_options={"size": "2 liter"})
    assert score(KETTLE, goal, 1.0, {"volume": "2 liter"}, NOUNS).r_option == 1.0
    assert score(KETTLE, goal, 1.0, {"size": "1 liter"}, NOUNS).r_option == 0.0


def test_a_named_option_keeps_letters_of_a_colour_that_a_chosen_one_loses() -> None:
    goal = wanted(goal_options={"shape": "rectangular"})
    assert score(KETTLE, goal, 1.0, {"shape": "rectangular"}, NOUNS).r_option == 0.0
    assert score(KETTLE, wanted(goal_options=("rectangular",)), 1.0, {"shape": "rectangular"}, NOUNS).r_option == 1.0


def test_a_limit_of_nothing_is_met_by_a_gift_only() -> None:
    goal = wanted(price_upper=0.0)
    assert score(KETTLE, goal, 0.01, {}, NOUNS).reward == 0.5
    assert score(KETTLE, goal, 0.0, {}, NOUNS).reward == 1.0


def test_without_attributes_the_rest_counts() -> None:
    seen = score(KETTLE, wanted(attributes=(), goal_options=("rose",)), 60.0, {"color": "rose"}, NOUNS)
    assert (seen.reward, seen.r_att) == (0.5, None)
    assert score(KETTLE, wanted(attributes=()), 50.0, {}, NOUNS).reward == 1.0


OTHER = {"query": "cups", "product_category": "Toys \u203a Games"}


def test_the_kind_of_article() -> None:
    assert factor() == 1.0
    assert factor(query="cups", name="Steel Cup Saucer Plate Spoon") == 1.0  # by departments
    assert factor(**OTHER | {"query": "kettles"}, name="Steel Cup Saucer Plate Spoon") == 1.0  # by the search
    assert factor(**OTHER, name="Steel Cup Saucer Plate") == 1.0  # by a quarter of the nouns
    assert factor(**OTHER, name="Steel Cup Saucer Plate Spoon") == 0.5  # a fifth is too little


def test_a_title_can_spoil_the_kind_of_article() -> None:
    assert factor(name="Steel Cup Saucer Plate Spoon Fork Knife Bowl Jug Pan Pot") == 0.1  # an eleventh of the nouns
    assert factor(name="Porcelain Cup") == 0.0


def test_a_wanted_name_without_nouns() -> None:
    assert factor(name="12 for 2") == 1.0
    assert factor(name="12 for 2", **OTHER) == 0.5


def test_repeated_nouns_of_the_wanted_name_count_each() -> None:
    assert compare(KETTLE, wanted(name="kettle kettle kettle kettle"), NOUNS).title_score == 0.25


def test_departments_count_once_and_without_spaces() -> None:
    def same(path: str) -> bool:
        return compare(KETTLE, wanted(product_category=path), NOUNS).category_match

    assert same("Kitchen\u203aHome")
    assert not same("Home \u203a Home \u203a Garden")


def test_factors() -> None:
    assert Likeness(True, True, 0.0).factor == 0.0
    assert Likeness(True, True, 0.099).factor == 0.1
    assert Likeness(False, False, 0.1).factor == 0.5
    assert Likeness(False, True, 0.1).factor == 1.0
    assert Likeness(False, False, 0.21).factor == 1.0


def test_reachable() -> None:
    def reachable(goal: Goal, price: float) -> bool:
        return best_purchase(KETTLE, goal, price, NOUNS).score.reward == 1.0

    assert reachable(wanted(goal_options={"color": "navy blue", "size": "2 liter"}), 50.0)
    assert not reachable(wanted(goal_options={"shape": "rectangular"}), 50.0)
    assert not reachable(wanted(attributes=("vegan",)), 50.0)
    assert not reachable(WANTED, 50.01)


WORDS = st.sampled_from(["", "navy blue", "rose", "1 liter", "2 liter", "rectangular", "steel", "Kettle", "heavy duty"])
TEXTS = WORDS | st.text(max_size=8)
NAMED = st.dictionaries(TEXTS, TEXTS, max_size=4)


@settings(deadline=None)
@given(
    title=TEXTS, name=TEXTS, attributes=st.lists(TEXTS, max_size=3), wishes=NAMED | st.tuples(TEXTS, TEXTS),
    chosen=NAMED, more=NAMED, price=st.floats(0, 1e6), limit=st.floats(0, 1e6),
)  # fmt: skip
def test_any_reward_is_a_share_and_a_further_choice_takes_nothing(
    title: str, name: str, attributes: list[str], wishes: Any, chosen: dict[str, str], more: dict[str, str],
    price: float, limit: float,
) -> None:  # fmt: skip
    product = Product(asin="B1", title=title, attributes=("heavy duty",))
    goal = wanted(name=name, attributes=tuple(attributes), goal_options=wishes, price_upper=limit)
    fewer = score(product, goal, price, chosen, NOUNS)
    assert 0.0 <= fewer.reward <= 1.0
    assert fewer.reward <= score(product, goal, price, more | chosen, NOUNS).reward
    assert score(product, goal, price, chosen, NOUNS) == fewer
