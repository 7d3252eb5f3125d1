from __future__ import annotations

from agentgym_critic.envs.toytext.grid import picture, place


def test_the_player_is_drawn_into_the_picture() -> None:
    assert picture(["abc", "def"], 1, 2) == "abc\nde@"
    assert place(0, 9) == "row 1, column 10"
