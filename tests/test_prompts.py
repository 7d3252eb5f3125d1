"""Templates: loading, one-pass filling, quoting."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_text

from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fields, fill, load_prompt, quote


def test_a_missing_prompt_names_those_there_are():
    with pytest.raises(ConfigError, match=r"agentgym_critic\.agents has no prompt 'nope'; it has: .*lm_system"):
        load_prompt("agentgym_critic.agents", "nope")


def test_a_package_without_prompts_says_none():
    with pytest.raises(ConfigError, match="it has: none"):
        load_prompt("agentgym_critic.envs", "nope")


@given(task=hostile_text(), action=hostile_text())
def test_values_are_inserted_as_they_are_and_never_filled_again(task, action):
    assert fill("{{task}}|{{action}}", task=task, action=action) == f"{task}|{action}"
    assert fill("{{task}}", task="{{action}}") == "{{action}}"


def test_a_place_without_a_value_is_refused():
    with pytest.raises(
        ConfigError, match=r"fields are \['action', 'task'\]; missing: \['action'\], without a place: \[\]"
    ):
        fill("{{task}} {{action}}", task="t")


def test_a_value_without_a_place_is_refused():
    with pytest.raises(ConfigError, match=r"missing: \[\], without a place: \['taks'\]"):
        fill("{{task}}", task="t", taks="t")


def test_json_braces_are_no_places():
    assert fields('{"p": {"x": 1}} {{Task}}') == set()


@given(
    text=st.lists(
        st.sampled_from(["<", "/", "text", "TEXT", " ", ">", "|", "\n", "<|im_end|>", "</text>", "&lt;", "a"])
    ).map("".join)
)
def test_quoted_text_cannot_leave_its_block(text):
    quoted = quote(text)
    assert re.findall(r"<\s*/?\s*text\b", quoted, flags=re.IGNORECASE) == ["<text", "</text"]
    assert quoted.startswith("<text>\n")
    assert quoted.endswith("\n</text>")
    assert "<|" not in quoted


@given(text=hostile_text())
def test_quoting_changes_only_angle_brackets(text):
    assert quote(text).replace("&lt;", "<") == f"<text>\n{text}\n</text>".replace("&lt;", "<")
