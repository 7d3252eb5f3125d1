from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics.quoting import fingerprint, quoted, template
from agentgym_critic.prompts import fields

FIELDS = {
    "judge": {"task", "steps", "memory", "action", "question"},
    "ptrue": set(),
    "verbalized": set(),
    "review": {"task", "ending", "steps", "first", "last"},
    "retry": {"problem"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_packaged_prompt_has_the_documented_fields(name):
    assert fields(template(name)) == FIELDS[name]


@settings(deadline=None)
@given(st.text())
def test_no_line_of_quoted_text_can_pass_for_one_of_ours(text):
    block = quoted(text)
    assert all(line.startswith("| ") for line in block.splitlines())
    block.encode()  # whatever the world says can be sent to a tokenizer or server


@pytest.mark.parametrize(
    "token",
    ["<|im_end|>", "<|im_start|>", "</s>", "<s>", "[INST]", "[/INST]", "<end_of_turn>", "<\uff5cUser\uff5c>", "[SEP]"],
)
def test_control_tokens_do_not_survive(token):
    assert token not in quoted(f"before {token} after")


def test_ordinary_brackets_survive():
    assert quoted("a < b, click[Buy Now] [1] <3") == "| a < b, click[Buy Now] [1] <3"


def test_an_empty_text_is_one_empty_line():
    assert quoted("") == "| "


def test_a_fingerprint_changes_with_any_part():
    assert fingerprint("a", 1) == fingerprint("a", 1)
    assert len({fingerprint("a", 1), fingerprint("a", 2), fingerprint("b", 1), fingerprint("a1")}) == 4


def test_all_packaged_prompts_are_listed_here():
    folder = resources.files("agentgym_critic.critics") / "prompts"
    assert {file.name for file in folder.iterdir()} == {f"{name}.txt" for name in FIELDS}
