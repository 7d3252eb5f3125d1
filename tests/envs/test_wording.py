"""What worlds say in the same words."""

from __future__ import annotations

from agentgym_critic.envs.wording import unknown_action


def test_an_unknown_action_is_explained() -> None:
    assert unknown_action("x" * 99, ["a", "b"]) == f"There is no action '{'x' * 50}'; the actions are a, b."


def test_a_character_that_only_looks_right_is_named() -> None:
    text = unknown_action("l\u0435ft", ["left"])
    assert text.endswith("the actions are left. Yours has the character U+0435 (CYRILLIC SMALL LETTER IE).")
    assert unknown_action("\ufffd", ["left"]).endswith("U+FFFD (REPLACEMENT CHARACTER).")
    assert unknown_action("\ue000", ["left"]).endswith("U+E000 (without a name).")
    assert unknown_action("上", ["下"]) == "There is no action '上'; the actions are 下."
