"""The oracle against an exhaustive search of every click, on small shops."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs.webshop import WebShopEnv, make_webshop
from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.catalogue import Catalogue
from agentgym_critic.envs.webshop.files import Entry
from agentgym_critic.envs.webshop.reward.nouns import WordNouns
from agentgym_critic.envs.webshop.tasks import SplitGoals
from agentgym_critic.types import Oracle


def shortest(env: WebShopEnv, limit: int) -> int | None:
    """The fewest steps to a reward of 1 by trying everything, each state once."""
    waiting, seen = deque([(env.snapshot(), 0)]), {env.current()[1]["state_key"]}
    while waiting:
        moment, steps = waiting.popleft()
        env.restore(moment)
        for action in env.current()[1]["admissible_actions"]:
            env.restore(moment)
            _, reward, terminated, _, info = env.step(action)
            if reward == 1.0:
                return steps + 1
            if not terminated and steps + 1 < limit and info["state_key"] not in seen:
                seen.add(info["state_key"])
                waiting.append((env.snapshot(), steps + 1))
    return None


@pytest.mark.parametrize("goals", ["synthetic", "human"])
def test_no_shorter_way_exists(goals: Any, shop_cache: Path) -> None:
    env = make_webshop(size=12, cache=shop_cache, goals=goals, nouns="words", offered_searches=True, max_steps=None)
    compared = 0
    for seed in range(12):
        env.reset(seed=seed)
        oracle, start = env.oracle(), env.snapshot()
        if oracle is None or oracle.steps_left > 5:
            continue
        assert oracle.exact
        assert shortest(env, oracle.steps_left) == oracle.steps_left
        env.restore(start)
        optimal = set()
        for action in env.current()[1]["admissible_actions"]:
            env.restore(start)
            env.step(action)
            after = env.oracle()
            if after is not None and after.steps_left == oracle.steps_left - 1:
                optimal.add(action)
        assert set(oracle.actions) == optimal
        compared += 1
    assert compared >= 3


def pots(folder: Path, count: int, description: str) -> WebShopEnv:
    """Pots with one title; only the last has what is asked for, and is described."""
    common = {
        "name": "Iron Pot",
        "small_description": [],
        "images": [],
        "product_category": "",
        "category": "",
        "query": "",
    }
    entries = [
        Entry(common | {"asin": f"B{number:03}", "full_description": ""}, {"attributes": ["heavy"]}, [])
        for number in range(count)
    ]
    asked = {"attributes": ["light"], "instruction": "I want a feather.", "instruction_attributes": ["light"]}
    entries.append(Entry(common | {"asin": "C1", "full_description": description}, asked, []))
    build(folder / "pots.db", entries)
    catalogue = Catalogue(folder / "pots.db")
    split = next(split for split in ("train", "dev", "test") if catalogue.count_goals("synthetic", split))
    return WebShopEnv(catalogue, catalogue, SplitGoals(catalogue, "synthetic", split), WordNouns())


def test_what_its_title_does_not_find_is_found_otherwise(tmp_path: Path) -> None:
    env = pots(tmp_path, 60, "Enamelled.")
    env.reset(seed=0)
    assert env.oracle() == Oracle(actions=("search[iron pot enamelled.]",), steps_left=3)


def test_a_way_that_another_search_may_shorten_is_not_exact(tmp_path: Path) -> None:
    env = pots(tmp_path, 15, "")
    env.reset(seed=0)
    assert env.oracle() == Oracle(actions=("search[iron pot]",), steps_left=4, exact=False)


def test_what_no_search_finds_cannot_be_bought(tmp_path: Path) -> None:
    env = pots(tmp_path, 60, "")
    env.reset(seed=0)
    assert env.oracle() is None


def test_of_offered_searches_the_best_that_they_find_counts(shop_cache: Path) -> None:
    env = make_webshop(size=5_000, cache=shop_cache, nouns="words", offered_searches=True)
    partial = 0
    for seed in range(40):
        env.reset(seed=seed)
        oracle = env.oracle()
        assert oracle is not None
        assert oracle.exact
        while oracle.steps_left:
            _, reward, terminated, _, _ = env.step(oracle.actions[0])
            left, oracle = oracle.steps_left, env.oracle() if not terminated else Oracle(actions=(), steps_left=0)
            assert oracle is not None
            assert oracle.steps_left == left - 1
        partial += reward < 1
        assert reward > 0
    assert partial > 0
