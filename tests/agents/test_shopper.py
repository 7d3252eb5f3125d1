"""The shopper: what it does on each page, and that it plays whole episodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_critic import registry, run_episode
from agentgym_critic.agents.shopper import Shopper
from agentgym_critic.envs.webshop import make_webshop
from agentgym_critic.errors import AgentError
from agentgym_critic.types import Exchange, Turn

TASK = "red cotton shirt with color: navy blue, and size: x-large, and price lower than 30.00 dollars"
RESULTS = (
    "Instruction: [SEP] x [SEP] Back to Search [SEP] Page 1 (Total results: 3) [SEP] Next > [SEP] B000000001 [SEP] Lamp"
    " [SEP] $5.0 [SEP] B000000002 [SEP] Red Cotton Shirt [SEP] $45.0 to $50.0 [SEP] B000000003"
    " [SEP] Cotton Shirt [SEP] $9.0"
)
LINKS = ("click[back to search]", "click[next >]", *(f"click[b00000000{number}]" for number in (1, 2, 3)))
ITEM = ("click[back to search]", "click[< prev]", "click[description]", "click[features]", "click[reviews]",
        "click[buy now]", "click[blue]", "click[navy blue]", "click[large]", "click[x-large]")  # fmt: skip


def proposed(observation: str = "", actions: tuple[str, ...] | None = None, *past: str) -> str:
    history = tuple(Exchange(observation="", action=action) for action in past)
    turn = Turn(task=TASK, observation=observation, admissible_actions=actions, history=history)
    return Shopper().propose(turn).text


def test_it_searches_the_request_without_its_price() -> None:
    assert proposed() == "search[red cotton shirt with color: navy blue, and size: x-large]"
    assert proposed("", ("search[a]", "search[b]")) == "search[a]"


def test_it_opens_the_best_match_that_is_not_too_dear() -> None:
    assert proposed(RESULTS, LINKS) == "click[b000000003]"
    assert proposed("http://127.0.0.1", LINKS) == "click[b000000001]"


def test_prices_in_titles_are_no_prices() -> None:
    results = RESULTS.replace("Cotton Shirt [SEP] $9.0", "Cotton Shirt [SEP] $1.2.3 $. $ [SEP] $9.0")
    assert proposed(results, LINKS) == "click[b000000003]"
    turn = Turn(task="shirt, and price lower than 1.2.3 dollars", observation=results, admissible_actions=LINKS)
    assert Shopper().propose(turn).text == "click[b000000002]"


def test_it_chooses_the_longest_values_that_the_request_names_then_buys() -> None:
    assert proposed("", ITEM, "click[b000000003]") == "click[navy blue]"
    assert proposed("", ITEM, "click[b000000003]", "click[navy blue]") == "click[x-large]"
    assert proposed("", ITEM, "click[b000000003]", "click[navy blue]", "click[x-large]") == "click[buy now]"
    assert proposed("", ITEM, "click[navy blue]", "click[b000000003]") == "click[navy blue]"


def test_it_leaves_a_page_with_nothing_to_choose() -> None:
    assert proposed("", ("click[back to search]", "click[< prev]")) == "click[< prev]"
    assert proposed("", ("click[back to search]", "click[next >]")) == "click[back to search]"


@pytest.mark.parametrize("mode", ["text", "text_rich"])
def test_it_buys_something(mode: str, tmp_path: Path) -> None:
    env = make_webshop(size=120, cache=tmp_path, nouns="words", observation=mode)
    shopper = registry.make("agent", "shopper")
    played = [run_episode(env, shopper, seed=seed) for seed in range(10)]
    assert all(trajectory.steps[-1].action.text == "click[buy now]" for trajectory in played)
    assert sum(trajectory.steps[-1].reward for trajectory in played) > 2


def test_it_says_where_it_can_shop() -> None:
    turn = Turn(task="Reach cell 5.", observation="You are in cell 2.", admissible_actions=("left", "right"))
    with pytest.raises(AgentError, match="nothing here can be clicked: this is no page of WebShop"):
        Shopper().propose(turn)
