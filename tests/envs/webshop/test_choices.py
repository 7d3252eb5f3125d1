"""Options whose values are hard to click: what a click means, what is listed, and that the oracle keeps to it."""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.webshop import CompatWebShopEnv, WebShopEnv
from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.catalogue import Catalogue
from agentgym_critic.envs.webshop.choices import choices, choices_to_the_letter
from agentgym_critic.envs.webshop.compat import CompatStorefront, EscapingShop
from agentgym_critic.envs.webshop.files import Entry
from agentgym_critic.envs.webshop.product import Product
from agentgym_critic.envs.webshop.reward.nouns import WordNouns
from agentgym_critic.envs.webshop.splits import SPLITS, UNREACHABLE
from agentgym_critic.envs.webshop.tasks import OfficialSessions, SplitGoals
from agentgym_critic.envs.webshop.views import MODES
from agentgym_critic.types import to_json

BUTTONS = ("buy now", "back to search", "next >", "< prev", "search", "description", "features", "reviews",
           "attributes")  # fmt: skip
NOTE = {"attributes": ["cast iron"], "instruction": "a pot", "instruction_attributes": ["cast iron"]}


def pot(values: Sequence[str] = (), asin: str = "B1", **changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "asin": asin, "name": "Iron Pot", "full_description": "A pot.", "small_description": ["Heavy."],
        "pricing": "$12.50", "images": [], "product_category": "Home", "category": "garden", "query": "pots",
        "customization_options": {"Style": [{"value": value} for value in values]} if values else {},
    }  # fmt: skip
    return entry | changes


def shop(folder: Path, entries: Sequence[Entry], *, compat: bool = False, seed: int = 0, **more: Any) -> WebShopEnv:
    """A shop of a few products, with the goals of one of its splits."""
    build(folder / "shop.db", entries)
    catalogue = Catalogue(folder / "shop.db")
    if compat:
        products = catalogue.products()
        sessions, sold = OfficialSessions(catalogue.id, products, "synthetic"), EscapingShop(catalogue, products)
        return CompatWebShopEnv(sold, catalogue, sessions, WordNouns(), storefront=CompatStorefront, **more)
    splits = [split for split in (*SPLITS, UNREACHABLE) if catalogue.count_goals("synthetic", split)]
    goals = SplitGoals(catalogue, "synthetic", splits[seed % len(splits)])
    return WebShopEnv(catalogue, catalogue, goals, WordNouns(), **more)


def opened(env: WebShopEnv) -> dict[str, Any]:
    """The page of the first product that is found."""
    env.reset(seed=0)
    env.step("search[pot]")
    return env.step("click[b1]")[4]


def test_what_cannot_be_chosen() -> None:
    product = Product(asin="B1", title="", options={"a": ("red", *BUTTONS, "buy  now", "", " "), "b": ("a  b", "a b")})
    assert choices(product) == {"red": "a", "a  b": "b"}
    assert choices_to_the_letter(product) == {"red": "a", "buy  now": "a", " ": "a", "a  b": "b", "a b": "b"}


def test_a_value_of_two_options_is_chosen_for_the_last() -> None:
    product = Product(asin="B1", title="", options={"size": ("small", "large"), "lid": ("small", "[none]")})
    assert choices(product) == {"small": "lid", "large": "size", "[none]": "lid"}
    assert choices_to_the_letter(product) == {"small": "lid", "large": "size"}


def test_values_with_brackets_can_be_clicked(tmp_path: Path) -> None:
    env = shop(tmp_path, [Entry(pot(["Rope [2 pack]", "[x]", "plain]"]), NOTE, [])])
    opened(env)
    for value in ("rope [2 pack]", "[x]", "plain]"):
        *_, info = env.step(f"click[{value.title()}]")
        assert not info["invalid_action"]
        assert f'{{"style": "{value}"}}' in info["url"]


def test_as_in_the_reference_they_cannot(tmp_path: Path) -> None:
    info = opened(env := shop(tmp_path, [Entry(pot(["Rope [2 pack]", "plain", "search"]), NOTE, [])], compat=True))
    assert info["available_actions"]["clickables"][-3:] == ["rope [2 pack]", "plain", "search"]
    assert info["admissible_actions"][-2:] == ["click[buy now]", "click[plain]"]
    *_, info = env.step("click[rope [2 pack]]")
    assert info["invalid_reason"] == "An action is search[keywords] or click[what is on the page]."


def test_several_actions_in_a_line_are_not_one(tmp_path: Path) -> None:
    opened(env := shop(tmp_path, [Entry(pot(["red"]), NOTE, [])]))
    *_, info = env.step("click[red] click[buy now]")
    assert info["invalid_reason"].startswith("There is no 'red] click[buy now' to click here. Possible: click[back to")


def test_buttons_come_before_options_of_their_name(tmp_path: Path) -> None:
    info = opened(env := shop(tmp_path, [Entry(pot(["Description", "Buy  Now", "search", "red"]), NOTE, [])]))
    assert info["available_actions"]["clickables"] == [
        "back to search", "< prev", "description", "features", "reviews", "buy now", "red",
    ]  # fmt: skip
    assert "/Description/" in env.step("click[description]")[4]["url"]


def test_goals_that_name_what_cannot_be_chosen_are_left_out(tmp_path: Path) -> None:
    build(tmp_path / "shop.db", [Entry(pot(["buy now", "description", "", "red", "[x]"]), NOTE, [])])
    catalogue = Catalogue(tmp_path / "shop.db")
    assert catalogue.count_goals("synthetic", UNREACHABLE) == 3
    assert sum(catalogue.count_goals("synthetic", split) for split in SPLITS) == 2


def check_moment(env: WebShopEnv) -> None:
    """What is shown can be kept, what is listed is legal, and each of the oracle's actions is one step less."""
    observation, info = env.current()
    assert env.observation_space.contains(observation)
    json.loads(to_json([observation, info["task"], info["url"]]))
    saved, oracle, listed = env.snapshot(), env.oracle(), info["admissible_actions"]
    for action in listed or []:
        assert not env.step(action)[4]["invalid_action"], action
        env.restore(saved)
    assert env.current() == (observation, info)
    if oracle is None:
        return
    assert oracle.actions or not oracle.steps_left
    for action in oracle.actions:
        assert listed is None or action in listed or action.startswith("search[")
        _, _, terminated, _, info = env.step(action)
        assert not info["invalid_action"], action
        after = env.oracle()
        assert terminated or (after is not None and after.steps_left == oracle.steps_left - 1)
        env.restore(saved)


PIECES = st.text(max_size=6) | st.sampled_from(
    [*BUTTONS, "[SEP]", "[button] Buy Now [button_]", "a[b", "]", "\x1b[31m", "\u202e", "\ud800", "\0", "日本語", "é",
     "\n", "\u2028", '"q"', "</p><script>", "red", "navy blue", "rectangular", "<r>", "<q>", "<a>", "<c>", "ﬀ", "İ",
     "the", "a/b", "{}", "\\", "search_results", "done", "item_page"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=3).map(" ".join)
OPTIONS = st.dictionaries(
    PIECES, st.lists(PIECES, max_size=4).map(lambda own: [{"value": each} for each in own]), max_size=3
)
PRODUCTS = st.fixed_dictionaries(
    {"name": TEXTS, "full_description": TEXTS, "small_description": st.lists(TEXTS, max_size=3), "query": TEXTS,
     "customization_options": OPTIONS, "category": TEXTS, "product_category": TEXTS,
     "pricing": st.sampled_from(["", "$5", "$5 - $7", "$985"])}
)  # fmt: skip
NOTES = st.fixed_dictionaries(
    {"attributes": st.lists(TEXTS, max_size=3), "instruction": TEXTS,
     "instruction_attributes": st.lists(TEXTS, min_size=1, max_size=2)}
)  # fmt: skip
SETTINGS = st.fixed_dictionaries(
    {"compat": st.booleans(), "seed": st.integers(0, 3), "observation": st.sampled_from(sorted(MODES)),
     "offered_searches": st.booleans(), "attributes": st.booleans()}
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    sold=st.lists(st.tuples(PRODUCTS, NOTES), max_size=4),
    setting=SETTINGS,
    walk=st.lists(st.integers(0, 30) | TEXTS.map("search[{}]".format), max_size=6),
)
def test_any_products_make_a_shop(sold: list[Any], setting: dict[str, Any], walk: list[int | str]) -> None:
    entries = [Entry(pot(asin=f"B{number}") | product, note, []) for number, (product, note) in enumerate(sold, 2)]
    with tempfile.TemporaryDirectory() as folder:
        env = shop(Path(folder), [Entry(pot(), NOTE, []), *entries], **setting)
        env.reset(seed=setting["seed"])
        check_moment(env)
        for number in walk:
            listed = env.current()[1]["admissible_actions"] or ["search[pot]"]
            action = listed[number % len(listed)] if isinstance(number, int) else number
            _, reward, terminated, _, _ = env.step(action)
            assert 0.0 <= reward <= 1.0
            check_moment(env)
            if terminated:
                break
        assert pickle.loads(pickle.dumps(env)).current() == env.current()
