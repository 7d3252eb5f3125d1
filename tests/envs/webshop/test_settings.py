"""The settings of the shop: each reaches the environment, and what is none is refused by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs import make_env
from agentgym_critic.envs.webshop import make_webshop
from agentgym_critic.errors import ConfigError


def test_settings_reach_the_environment(shop_cache: Path) -> None:
    more: dict[str, Any] = {"observation": "text_rich", "max_steps": 1, "render_mode": "ansi", "offered_searches": True}
    env = make_env("agentgym_critic/WebShop-v0", size=50, cache=shop_cache, nouns="words", **more)
    text, info = env.reset(seed=0)
    assert "[button]" in text
    assert env.render() == text
    assert env.step(info["admissible_actions"][0])[3]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_steps": "abc"}, "max_steps is a whole number or None, got 'abc'"),
        ({"size": 1.5}, "size is a whole number or None, got 1.5"),
        ({"compat": "no"}, "compat is true or false, got 'no'"),
        ({"goals": "humn"}, "goals is 'human' or 'synthetic', got 'humn'"),
        ({"cache": 5}, "cache is text or a path or None, got 5"),
    ],
)
def test_a_setting_of_the_wrong_type_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        make_env("agentgym_critic/WebShop-v0", **settings)
    assert str(refused.value) == f"environment agentgym_critic/WebShop-v0: {message}"


def test_an_unknown_setting_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"'foo'; it takes \(catalogue='procedural', \*, .*max_steps=100, render_m"):
        make_env("agentgym_critic/WebShop-v0", foo=1)


@pytest.mark.parametrize("setting", ["data", "cache"])
def test_an_empty_folder_is_not_taken_for_none(setting: str) -> None:
    with pytest.raises(ConfigError, match=f"^{setting} is '', which names no folder; leave it out for the usual one$"):
        make_webshop(**{setting: ""})
