"""The best choice of options against every choice, and what is compared with what."""

from __future__ import annotations

from itertools import product as combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.colours import colour_of, colour_of_pair, colours
from agentgym_critic.envs.webshop.reward.matching import alike, plain, similarity
from agentgym_critic.envs.webshop.reward.options import GoalOptions, best_options, count_met

VALUES = st.sampled_from(["red", "dark red", "navy blue", "small", "small (pack of 2)", "tan", "rectangular", "large"])
OPTIONS = st.dictionaries(st.sampled_from("abc"), st.lists(VALUES, min_size=1, max_size=3).map(tuple))
PAN = Product(asin="B1", title="Pan", options={"size": ("small", "10 inch"), "lid": ("small", "no lid")})
WISHES = st.lists(VALUES, max_size=4).map(tuple) | st.dictionaries(st.sampled_from("abc"), VALUES)


def test_colour_words() -> None:
    assert len(colours()) == len(set(colours())) == 102
    assert [colour_of(value) for value in ("light grey", "standard", "washed denim", "Red", "large", "")] == [
        "grey", "tan", "ash", "Red", "large", "",
    ]  # fmt: skip


def test_a_pair_is_a_colour_only_as_a_whole() -> None:
    assert colour_of_pair("color", "blue") == "blue"
    assert colour_of_pair("wine", "large") == "wine"
    assert colour_of_pair("wine", "blue") == "blue"  # first in the list
    assert colour_of_pair("color", "navy blue") == "('color', 'navy blue')"
    assert colour_of_pair("for", "men's") == "('for', \"men's\")"


def test_words_are_compared_in_any_order_and_without_marks() -> None:
    assert plain(" Crème_Brûlée/8-oz! ") == "crme_brle 8 oz"
    assert similarity("Navy, blue", "blue navy") == 100
    assert similarity("model 12", "model 12 pro") == 100
    assert similarity("", "red") == similarity("red", "!!") == similarity("é", "é") == 0
    assert not alike("red", "green")


def test_what_meets_what() -> None:
    assert count_met(("navy blue", "small"), ["light blue", "large"]) == 1
    assert count_met({"color": "navy blue", "size": "small"}, ["navy blue", "small"]) == 2
    assert count_met({"shape": "rectangular"}, ["rectangular"]) == 0
    assert count_met(("small",), []) == count_met((), ["small"]) == 0


def test_the_fewest_choices() -> None:
    assert best_options(PAN, ("10 inch", "no lid")) == {"size": "10 inch", "lid": "no lid"}
    assert best_options(PAN, ("10 inch", "no lid"), {"size": "10 inch"}) == {"lid": "no lid"}
    assert best_options(PAN, ("10 inch",), {"size": "10 inch", "lid": "small"}) == {}
    assert best_options(PAN, ("inch", "10 inch")) == {"size": "10 inch"}
    assert best_options(PAN, ("iron",)) == {}


def test_a_value_of_two_options_is_of_the_last() -> None:
    assert best_options(PAN, ("small", "10 inch")) == {"size": "10 inch", "lid": "small"}
    assert count_met({"lid": "small"}, ["small"]) == 1


def test_one_value_for_two_wishes_is_better_than_two_values() -> None:
    product = Product(asin="B1", title="", options={"c": ("small large",), "a": ("small",), "b": ("large",)})
    assert best_options(product, ("small", "large")) == {"c": "small large"}


def possible(product: Product) -> list[dict[str, str]]:
    """Whatever can be chosen by clicks: a value of several options is of the last."""
    owners = {value: name for name, values in product.options.items() for value in values}
    choices = [
        [(name, value) for value in values if owners[value] == name] + [None]
        for name, values in product.options.items()
    ]
    return [dict(filter(None, chosen)) for chosen in combinations(*choices)]


@settings(deadline=None)
@given(options=OPTIONS, wishes=WISHES)
def test_no_choice_is_better_or_shorter(options: dict[str, tuple[str, ...]], wishes: GoalOptions) -> None:
    product = Product(asin="B1", title="", options=options)
    found = best_options(product, wishes)
    ways = possible(product)
    assert found in ways
    most = max(count_met(wishes, way.values()) for way in ways)
    assert count_met(wishes, found.values()) == most
    assert len(found) == min(len(way) for way in ways if count_met(wishes, way.values()) == most)
