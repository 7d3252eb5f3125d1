"""The shop by our own rules, on generated products: the contract, what is refused and why, snapshots, views."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.webshop import WebShopEnv, make_webshop
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, UnknownIdError

SIZE = 200


@pytest.fixture
def env(shop_cache: Path) -> Iterator[WebShopEnv]:
    env = shop(shop_cache)
    yield env
    env.close()


def shop(cache: Path, **more: Any) -> WebShopEnv:
    return make_webshop(size=SIZE, cache=cache, nouns="words", **more)


def walk(env: WebShopEnv, *actions: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
    for action in actions[:-1]:
        env.step(action)
    return env.step(actions[-1])


def bought(env: WebShopEnv) -> tuple[float, int, bool]:
    """Follow the oracle to the end: the reward, the steps, whether each took one step off."""
    steps, honest = 0, True
    while True:
        oracle = env.oracle()
        assert oracle is not None
        _, reward, terminated, _, _ = env.step(oracle.actions[-1])
        steps += 1
        if terminated:
            return reward, steps, honest and oracle.steps_left == 1
        after = env.oracle()
        honest = honest and after is not None and after.steps_left == oracle.steps_left - 1


@pytest.mark.parametrize("goals", ["synthetic", "human"])
@pytest.mark.parametrize("offered", [False, True])
def test_keeps_the_contract(goals: Any, offered: bool, shop_cache: Path) -> None:
    check_text_env(shop(shop_cache, goals=goals, offered_searches=offered), seeds=(0, 1, 5), steps=25)


def test_is_registered(shop_cache: Path) -> None:
    env = make_env("agentgym_critic/WebShop-v0", size=SIZE, cache=shop_cache, nouns="words")
    _, info = env.reset(seed=0)
    assert info["task"] in env.unwrapped.current()[0]


def test_the_same_seed_is_the_same_errand_and_the_next_another_product(shop_cache: Path) -> None:
    one, other = shop(shop_cache), shop(shop_cache)
    ids = [one.reset(seed=seed)[1]["task_id"] for seed in range(20)]
    assert [other.reset(seed=seed)[1]["task_id"] for seed in reversed(range(20))] == ids[::-1]
    assert len({task_id.partition("-")[0] for task_id in ids}) == 20


def test_a_purchase(env: WebShopEnv) -> None:
    observation, info = env.reset(seed=3)
    assert observation == f"WebShop [SEP] Instruction: [SEP] {info['task']} [SEP] Search"
    assert info["admissible_actions"] is None
    assert info["score"] is None
    reward, _, honest = bought(env)
    observation, info = env.current()
    assert (reward, honest, info["success"]) == (1.0, True, True)
    assert info["score"].reward == 1.0
    assert observation.startswith("Thank you for shopping with us! [SEP] Your code: ")
    with pytest.raises(EnvError, match="the episode is over"):
        env.step("search[tea]")


@pytest.mark.parametrize("goals", ["synthetic", "human"])
def test_every_goal_of_a_split_can_be_fulfilled(goals: Any, shop_cache: Path) -> None:
    env = shop(shop_cache, goals=goals, split="test")
    for seed in range(40):
        env.reset(seed=seed)
        assert bought(env)[::2] == (1.0, True)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("buy it", "An action is search[keywords] or click[what is on the page]."),
        ("think[hm]", "An action is search[keywords] or click[what is on the page]."),
        ("search[]", "An action is search[keywords] or click[what is on the page]."),
        ("click[search]", "To search, write search[keywords]."),
        ("click[buy now]", "There is no 'buy now' to click here. Possible: click[search]."),
        ("click[" + "x" * 2_000 + "]", "An action has at most 1000 characters, got 2007."),
        ("", "An action is at least one word, got an empty one."),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(env: WebShopEnv, action: str, reason: str) -> None:
    before, info = env.reset(seed=0)
    observation, reward, terminated, _, after = env.step(action)
    assert after["invalid_reason"] == reason
    assert (observation, reward, terminated, after["state_key"]) == (before, 0.0, False, info["state_key"])


def test_a_search_needs_the_search_bar(env: WebShopEnv) -> None:
    env.reset(seed=0)
    *_, info = walk(env, "search[tea]", "search[coffee]")
    assert info["invalid_reason"] == "There is no search bar on this page; click[back to search] first."
    *_, info = walk(env, "click[back to search]", "search[coffee]")
    assert not info["invalid_action"]


@pytest.mark.parametrize("words", ["the of", "zzzzzz", "<q> tea", "日本語", "..."])
def test_searches_that_find_nothing(env: WebShopEnv, words: str) -> None:
    env.reset(seed=0)
    observation, _, _, _, info = env.step(f"search[{words}]")
    if words != "<q> tea":
        assert "Page 1 (Total results: 0)" in observation
        assert info["admissible_actions"] == ["click[back to search]", "click[next >]"]
    assert not info["invalid_action"]


def test_case_and_spaces_do_not_matter(env: WebShopEnv) -> None:
    env.reset(seed=0)
    *_, info = walk(env, "search[shirt]", "  click[ NEXT   > ] ")
    assert not info["invalid_action"]


def test_pages_lead_back(env: WebShopEnv) -> None:
    env.reset(seed=0)
    results, _, _, _, info = walk(env, "search[shirt color]")
    link = info["admissible_actions"][2]
    item, _, _, _, info = walk(env, link)
    option = info["available_actions"]["clickables"][6]
    chosen = walk(env, f"click[{option}]")[4]["state_key"]
    for page in ("description", "features", "reviews"):
        assert walk(env, f"click[{page}]", "click[< prev]")[0] == item
    assert env.current()[1]["state_key"] == chosen
    assert walk(env, "click[< prev]")[0] == results


def test_snapshots_are_exact(env: WebShopEnv) -> None:
    env.reset(seed=1)
    walk(env, "search[shirt]", "click[next >]")
    saved, before = env.snapshot(), env.current()
    after = walk(env, "click[< prev]", "click[back to search]")
    env.restore(saved)
    assert env.current() == before
    assert walk(env, "click[< prev]", "click[back to search]") == after
    env.reset(seed=2)
    with pytest.raises(EnvError, match="the snapshot is of goal "):
        env.restore(saved)


def test_snapshots_of_something_else_change_nothing(env: WebShopEnv, shop_cache: Path) -> None:
    env.reset(seed=1)
    before = env.current()
    others: list[Any] = [
        shop(shop_cache, observation="url"),
        shop(shop_cache, split="test"),
        shop(shop_cache, compat=True),
    ]
    others.append(make_webshop(size=SIZE, catalogue_seed=1, cache=shop_cache, nouns="words"))
    for other in others:
        other.reset(seed=1)
        with pytest.raises(EnvError, match=r"the snapshot is of another shop \(catalogue .*\), not catalogue "):
            env.restore(other.snapshot())
    levels = make_env("agentgym_critic/Sokoban-v0").unwrapped
    levels.reset(seed=1)
    with pytest.raises(EnvError, match="the snapshot is of no visit of a shop, but holds a "):
        env.restore(levels.snapshot())
    assert env.current() == before


@pytest.mark.parametrize("compat", [False, True])
def test_copies_go_on_from_the_same_moment(compat: bool, shop_cache: Path) -> None:
    env = shop(shop_cache, compat=compat)
    env.reset(seed=1)
    env.step("search[shirt]")
    env.oracle()
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert twin.current() == env.current()
        assert twin.oracle() == env.oracle()
        assert twin.snapshot() == env.snapshot()
        assert twin.step("click[next >]")[0] != env.current()[0]


def test_info_says_what_is_sold(env: WebShopEnv, shop_cache: Path) -> None:
    _, info = env.reset(seed=0)
    assert info["catalogue_size"] == SIZE
    assert info["catalogue"] in env.env_version
    assert shop(shop_cache, compat=True).reset(seed=0)[1]["catalogue"] == info["catalogue"]


def test_a_query_in_angle_brackets_is_no_command(env: WebShopEnv) -> None:
    env.reset(seed=0)
    plain = env.step("search[q shirt]")[4]["admissible_actions"]
    env.step("click[back to search]")
    assert env.step("search[<q> shirt]")[4]["admissible_actions"] == plain


def test_nothing_is_bought_twice(env: WebShopEnv) -> None:
    env.reset(seed=3)
    bought(env)
    for action in ("search[tea]", "click[buy now]"):
        with pytest.raises(EnvError, match="the episode is over"):
            env.step(action)
    assert env.current()[1]["admissible_actions"] == []


def test_the_oracle_leads_back_from_anywhere(env: WebShopEnv) -> None:
    env.reset(seed=4)
    walk(env, "search[zzz]", "click[next >]", "click[next >]")
    assert bought(env)[::2] == (1.0, True)
    env.reset(seed=4)
    *_, info = walk(env, "search[shirt]")
    walk(env, info["admissible_actions"][3], "click[features]")
    assert bought(env)[::2] == (1.0, True)


@pytest.mark.parametrize("mode", ["text", "text_rich", "url", "html"])
def test_views(mode: str, shop_cache: Path) -> None:
    env = shop(shop_cache, observation=mode)
    observation, info = env.reset(seed=0)
    shown = {
        "text": f"WebShop [SEP] Instruction: [SEP] {info['task']} [SEP] Search",
        "text_rich": f"WebShop\nInstruction: \n{info['task']}\n[button] Search [button_]\n",
        "url": info["url"],
        "html": f'<!DOCTYPE html>\n<html lang="en"><head><title>WebShop</title></head><body>\n<p>WebShop</p>\n'
        f'<p>Instruction: </p>\n<p>{info["task"]}</p>\n<button class="button">Search</button>\n</body></html>\n',
    }
    assert observation == shown[mode]


def test_offered_searches_are_the_only_ones(shop_cache: Path) -> None:
    env = shop(shop_cache, offered_searches=True)
    _, info = env.reset(seed=0)
    suggested = info["admissible_actions"]
    assert suggested
    assert all(not walk(env, action)[4]["invalid_action"] for action in suggested[:1])
    walk(env, "click[back to search]")
    assert (
        walk(env, "search[zzz]")[4]["invalid_reason"]
        == f"This search is not offered. Possible: {', '.join(suggested)}."
    )


@pytest.mark.parametrize(
    ("setting", "error", "message"),
    [
        ({"catalogue": "medium"}, UnknownIdError, "no catalogue 'medium'"),
        ({"goals": "animal"}, UnknownIdError, "no kind of goals 'animal'"),
        ({"split": "valid"}, UnknownIdError, "no WebShop split 'valid'"),
        ({"observation": "image"}, UnknownIdError, "no observation mode 'image'"),
        ({"nouns": "verbs"}, UnknownIdError, "no source of nouns 'verbs'"),
        ({"size": 0}, ConfigError, "a catalogue has from 1 to 10,000,000 products, got 0"),
        ({"data": "x"}, ConfigError, "catalogue='procedural' needs none"),
        ({"catalogue": "small", "data": "/nowhere"}, MissingDataError, "/nowhere holds no items_shuffle_1000.json"),
        ({"limit_goals": 3}, ConfigError, "belong to compat=True"),
        ({"num_prev_obs": -1}, ConfigError, "whole numbers from 0"),
    ],
)
def test_settings_that_are_refused(
    setting: dict[str, Any], error: type[Exception], message: str, shop_cache: Path
) -> None:
    with pytest.raises(error, match=message):
        make_webshop(**{"cache": shop_cache} | setting)


class Silly:
    """Every title has another noun."""

    id = "silly"

    def __init__(self) -> None:
        self._asked = 0

    def nouns(self, title: str) -> list[str]:
        self._asked += 1
        return [f"noun{self._asked}"]


def test_nouns_that_leave_no_reward_are_noticed_at_once(shop_cache: Path) -> None:
    with pytest.raises(ConfigError, match=r"goal B0.* gives no reward; nouns 'silly' finds \['noun3'\] in '"):
        make_webshop(size=SIZE, cache=shop_cache, nouns=Silly())
    with pytest.raises(ConfigError, match=r"goal B0.* gives no reward; nouns 'silly' finds \['noun3'\] in '"):
        make_webshop(size=SIZE, cache=shop_cache, nouns=Silly(), compat=True)


def test_a_goal_by_name_and_one_of_your_own(env: WebShopEnv) -> None:
    _, info = env.reset(seed=7)
    goal_id = info["task_id"]
    assert env.reset(seed=0, options={"goal_id": goal_id})[1]["task_id"] == goal_id
    with pytest.raises(UnknownIdError, match="goal 'B0-s1'"):
        env.reset(options={"goal_id": "B0-s1"})
    goal = {"id": "mine", "asin": "B0", "category": "", "query": "tea", "name": "Tea", "product_category": ""}
    goal |= {"instruction_text": "tea!", "attributes": ["loose leaf"], "price_upper": 30.0}
    _, info = env.reset(options={"goal": goal})
    assert info["task"] == "tea!"
    oracle = env.oracle()
    assert oracle is None or oracle.steps_left > 2
    with pytest.raises(ConfigError, match=r"options\['goal'\] is a Goal or a dictionary of its fields"):
        env.reset(options={"goal": {"id": "mine"}})


MINE: dict[str, Any] = {
    "id": "mine", "asin": "B0", "category": "", "query": "tea", "name": "Tea", "product_category": "",
    "instruction_text": "tea!", "attributes": ["loose leaf"], "price_upper": 30.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"goal_id": 3}, ConfigError, r"options\['goal_id'\] is a text, as info\['task_id'\] has it; got 3"),
        ({"goal_id": None}, ConfigError, r"options\['goal_id'\] is a text, .* got None"),
        ({"goal_id": "x" * 500}, UnknownIdError, r"There is no goal 'x{60}'. Known: B0\w{8}-[hs]\d"),
        ({"goal_id": "\ud800"}, UnknownIdError, "There is no goal '\ufffd'. Known: B0"),
        (
            {"goal_id": "B0-s0", "goal": MINE},
            ConfigError,
            r"either options\['goal'\] or options\['goal_id'\], not both",
        ),
        ({"goal": None}, ConfigError, r"options\['goal'\] is a Goal or a dictionary of its fields: Expected `object`"),
        ({"goal": MINE | {"attributes": ["x"] * 501}}, ConfigError, "may have 500 attributes, .*; got 501, 0 and 4"),
        ({"goal": MINE | {"goal_options": ["x"] * 13}}, ConfigError, "12 options and a text .*; got 1, 13 and 4"),
        ({"goal": MINE | {"instruction_text": "x" * 10_001}}, ConfigError, "10,000 characters; got 1, 0 and 10,001"),
    ],
)
def test_goals_that_are_refused(options: dict[str, Any], error: type[Exception], message: str, env: WebShopEnv) -> None:
    with pytest.raises(error, match=message):
        env.reset(options=options)
    assert env.reset(seed=0)[1]["task_id"]


@pytest.mark.parametrize("compat", [False, True])
def test_a_goal_of_your_own_can_be_kept(compat: bool, shop_cache: Path) -> None:
    own = MINE | {"id": "a\ud800", "instruction_text": "b\udfff\0", "name": "\udfff", "attributes": []}
    _, info = shop(shop_cache, compat=compat).reset(options={"goal": own})
    assert (info["task_id"], info["task"]) == ("a\ufffd", "b\ufffd\ufffd")


@pytest.mark.parametrize("text", ["", "[]"])
def test_where_no_search_can_be_offered_any_is_possible(text: str, shop_cache: Path) -> None:
    env = shop(shop_cache, offered_searches=True)
    _, info = env.reset(options={"goal": MINE | {"instruction_text": text}})
    assert info["admissible_actions"] is None
    assert not env.step("search[tea]")[4]["invalid_action"]


def test_no_offered_search_is_refused(shop_cache: Path) -> None:
    env = shop(shop_cache, offered_searches=True, compat=True)
    _, info = env.reset(options={"goal": MINE | {"instruction_text": "<r> red tea"}})
    assert info["admissible_actions"] == ["search[r red tea]", "search[r red]", "search[tea]"]
    for action in info["admissible_actions"]:
        assert not env.step(action)[4]["invalid_action"]


@settings(max_examples=60, deadline=None)
@given(actions=st.lists(st.one_of(st.text(max_size=40), st.sampled_from(range(12))), max_size=12))
def test_no_action_breaks_it(actions: list[Any], shop_cache: Path) -> None:
    env = shop(shop_cache, offered_searches=True)
    _, info = env.reset(seed=11)
    for action in actions:
        listed = info["admissible_actions"]
        text = listed[action % len(listed)] if isinstance(action, int) else action
        _, reward, terminated, _, info = env.step(text)
        assert 0.0 <= reward <= 1.0
        if isinstance(action, int):
            assert not info["invalid_action"]
        if terminated:
            return
