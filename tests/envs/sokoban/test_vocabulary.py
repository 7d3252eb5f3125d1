from __future__ import annotations

from typing import Any

import pytest

from agentgym_critic.envs.sokoban.moves import ACTIONS
from agentgym_critic.envs.sokoban.vocabulary import MEANINGS, build_vocabulary
from agentgym_critic.errors import ConfigError


def test_nothing_is_renamed_unless_asked() -> None:
    usual = build_vocabulary()
    assert usual.actions == {action: action for action in ACTIONS}
    assert usual.symbols == {symbol: symbol for symbol in MEANINGS}
    assert not usual.renames_symbols
    assert not build_vocabulary(symbols={"#": "#"}).renames_symbols


def test_names_may_change_places() -> None:
    swapped = build_vocabulary(actions={"up": "down", "down": "up"}, symbols={"#": "@", "@": "#"})
    assert swapped.actions == {"down": "up", "left": "left", "right": "right", "up": "down"}
    assert (swapped.symbols["#"], swapped.symbols["@"], swapped.symbols["$"]) == ("@", "#", "$")
    assert swapped.renames_symbols


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"actions": {"jump": "hop"}}, "actions renames down left right up; got 'jump'"),
        ({"actions": {"up": "left"}}, "actions: 'left' and 'up' would both be 'left'; give each a name of its own"),
        ({"actions": {"up": "n", "down": "n"}}, "actions: 'down' and 'up' would both be 'n'"),
        ({"actions": {"up": ""}}, "a word has 1 to 50 characters, on one line, without spaces around; got ''"),
        ({"actions": {"up": " north"}}, "got ' north'"),
        ({"actions": {"up": "go\nnorth"}}, r"got 'go\\nnorth'"),
        ({"actions": {"up": "x" * 51}}, "a word has 1 to 50 characters"),
        ({"actions": {"up": 1}}, r"actions gives new names by old ones, texts both; got \{'up': 1\}"),
        ({"actions": ["n", "s", "w", "e"]}, r"actions gives new names by old ones, texts both; got \['n', "),
        ({"symbols": {"w": "W"}}, r"symbols renames # - \. \$ \* @ \+; got 'w'"),
        ({"symbols": {"#": "$"}}, r"symbols: '#' and '\$' would both be '\$'; give each a name of its own"),
        ({"symbols": {"#": "wall"}}, "symbols: a symbol is one visible character; got 'wall'"),
        ({"symbols": {"#": ""}}, "symbols: a symbol is one visible character; got ''"),
        ({"symbols": {"-": " "}}, "symbols: a symbol is one visible character; got ' '"),
        ({"symbols": {"-": "\n"}}, r"symbols: a symbol is one visible character; got '\\n'"),
        ({"symbols": {"-": "\u200b"}}, r"symbols: a symbol is one visible character; got '\\u200b'"),
        ({"symbols": {"-": "\u0301"}}, "symbols: a symbol is one visible character"),
        ({"symbols": "#W"}, "symbols gives new names by old ones, texts both; got '#W'"),
    ],
)
def test_what_cannot_be_a_name_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_vocabulary(**given)
