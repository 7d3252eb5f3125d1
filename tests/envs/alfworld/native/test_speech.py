"""Commands: what is listed can be said, whatever the grammar makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from workshop import workshop

from agentgym_critic.envs.alfworld import make_alfworld
from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.errors import EnvError


def said(template: str) -> Game:
    """The workshop, where this is how to power on."""
    game = workshop()
    grammar = game.file.grammar
    assert '"power on"' in grammar
    return game._replace(file=replace(game.file, grammar=grammar.replace('"power on"', f'"{template}"')))


@pytest.mark.parametrize(
    ("template", "command"),
    [
        ("power  on", "power on"),
        ("power on ", "power on"),
        ("power\non", "power on"),
        ("power\t on", "power on"),
        ("power\x00on", "power\ufffdon"),
        ("power\u2003on", "power on"),
        ("power on for {a}", "power on for me"),
    ],
)
def test_what_is_listed_can_be_said(template: str, command: str) -> None:
    engine = NativeEngine()
    engine.start(said(template))
    assert command in engine.admissible
    assert engine.act(command).startswith("It hums.")


def test_what_is_listed_can_be_played_in_the_environment(attic: Any) -> None:
    game = attic.game("lamp")
    game["grammar"] = game["grammar"].replace("go to {r}", "go  to\n{r}")
    attic.write(attic.lamp, json.dumps(game))
    env = make_alfworld("native", **attic.settings())
    _, info = env.reset(options={"game_id": attic.lamp})
    assert "go to shelf 2" in info["admissible_actions"]
    text, _, _, _, info = env.step("go to shelf 2")
    assert (info["invalid_action"], text) == (False, "You are at the shelf 2. On it: lamp 1.")
    env.close()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "the command '' of the action 'main' is empty, or has braces"),
        (" ", "the command '' of the action 'main' is empty, or has braces"),
        ("{'\\x7b0\\x7d'}", r"the command '\{0\}' of the action 'main' is empty, or has braces"),
        ("go " * 400, "characters of a command of the action 'main': 1,199 or more, where at most 1,000 are taken"),
        ("grab  cog 1", "the commands 'grab  cog 1' and 'grab cog 1' differ in blanks alone"),
    ],
)
def test_what_nobody_could_say_is_refused(template: str, message: str) -> None:
    engine = NativeEngine()
    engine.start(said(template))
    with pytest.raises(EnvError, match=f"ALFWorld game workshop: .*{message}"):
        _ = engine.admissible
