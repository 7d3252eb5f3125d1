"""What a story gets to read."""

from __future__ import annotations

import pytest

from agentgym_critic.envs.jericho.words import refusal

WORDS = frozenset(
    {"open", "mailbox", "look", "take", "all", "but", "lantern", "turn", "dial", "to", "go", "north", "x-ray"}
)


@pytest.mark.parametrize(
    "command", ["open mailbox", "OPEN Mailbox", "take all, but lantern", "turn dial to 42", "look", 'take "lantern"']
)
def test_known_words_are_given_to_the_story(command: str) -> None:
    assert refusal(command, WORDS, 9) == ""


def test_words_count_as_far_as_the_story_reads() -> None:
    assert refusal("take lantern", {"take", "lanter"}, 6) == ""
    assert refusal("take lantern", {"take", "lanter"}, 9) == "The story knows no word 'lantern'."
    assert refusal("take x-ray-machine", WORDS, 9) == ""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("xyzzy frobnicate", "The story knows no word 'xyzzy'."),
        ("оpen mailbox", "The story knows no word 'оpen'."),  # noqa: RUF001 -- a Cyrillic letter
        ("\\help", "The story knows no word '\\\\help'."),
        ("go north. look", "'go north. look' is more than one command; give one at a time."),
        ("go north then look", "'go north then look' is more than one command; give one at a time."),
        ("look; look", "'look; look' is more than one command; give one at a time."),
        ("save", "'save' is about the game, not in it; play on instead."),
        ("QUIT", "'quit' is about the game, not in it; play on instead."),
        ("undo", "'undo' is about the game, not in it; play on instead."),
        ("look " * 50, "A command has at most 198 bytes, got 250."),
        (',"', "A command has words."),
    ],
)
def test_the_rest_is_refused(command: str, reason: str) -> None:
    assert refusal(command, WORDS, 9) == reason
