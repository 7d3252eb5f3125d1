"""Templates: loading, one-pass filling, quoting."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hostile_text

from agentgym_critic.errors import ConfigError
from agentgym_critic.prompts import fields, fill, fingerprint, load_prompt, one_line, quote


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


@settings(deadline=None)
@given(st.text())
def test_no_line_of_quoted_text_can_pass_for_one_of_ours(text):
    block = quote(text)
    assert all(line.startswith("| ") for line in block.splitlines())
    block.encode()  # whatever the world says can be sent to a tokenizer or server


@pytest.mark.parametrize(
    "token",
    ["<|im_end|>", "<|im_start|>", "</s>", "<s>", "[INST]", "[/INST]", "<end_of_turn>", "<\uff5cUser\uff5c>", "[SEP]"],
)
def test_control_tokens_do_not_survive(token):
    assert token not in quote(f"before {token} after")

    assert token not in one_line(f"before {token} after")


@settings(deadline=None)
@given(hostile_text() | st.text())
def test_one_line_is_one_line_and_shows_itself(text):
    line = one_line(text)
    assert line.splitlines() in ([line], [])
    assert one_line(line) == line
    line.encode()


def test_ordinary_brackets_survive():
    assert quote("a < b, click[Buy Now] [1] <3") == "| a < b, click[Buy Now] [1] <3"


def test_an_empty_text_is_one_empty_line():
    assert quote("") == "| "


def test_a_fingerprint_changes_with_any_part():
    assert fingerprint("a", 1) == fingerprint("a", 1)
    assert len({fingerprint("a", 1), fingerprint("a", 2), fingerprint("b", 1), fingerprint("a1")}) == 4
