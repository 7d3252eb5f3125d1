"""A snapshot of another game, or of a game with other rules, is refused by each of them and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym_critic.envs import TextEnv, make_env
from agentgym_critic.errors import EnvError

GAMES: dict[str, list[dict[str, Any]]] = {
    "Battleship": [{}, {"rows": 6}, {"fleet": (3, 2)}, {"questions": 3}],
    "Blackjack": [{}, {"sab": False}],
    "CliffWalking": [{}, {"is_slippery": True}],
    "ConnectFour": [{}, {"rows": 5}],
    "FrozenLake": [{}, {"map": "8x8"}, {"is_slippery": False}, {"map": "random"}],
    "Game2048": [{}, {"size": 3, "target": 64}],
    "Hex": [{}, {"size": 5}],
    "Negotiation": [{}, {"rounds": 4}, {"ceiling": 80}],
    "Points24": [{}, {"target": 10}],
    "Search": [{}, {"size": 50}],
    "Sokoban": [{}],
    "Taxi": [{}, {"is_rainy": True}],
    "TicTacToe": [{}],
    "Tools": [{}, {"error_rate": 0.0}],
}


def begun(name: str, settings: dict[str, Any]) -> TextEnv:
    env = make_env(f"agentgym_critic/{name}-v0", **settings).unwrapped
    assert isinstance(env, TextEnv)
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("name", GAMES)
def test_it_is_refused(name: str) -> None:
    own = begun(name, {})
    others = [begun(name, settings) for settings in GAMES[name][1:]]
    others += [begun(other, {}) for other in GAMES if other != name]
    before = own.current(), own.snapshot().kind, own.oracle()
    for other in others:
        with pytest.raises(EnvError, match=r"^the snapshot is of "):
            own.restore(other.snapshot())
        assert (own.current(), own.snapshot().kind, own.oracle()) == before


@pytest.mark.parametrize("name", GAMES)
def test_one_with_the_same_rules_is_not(name: str) -> None:
    for settings in GAMES[name]:
        one, other = begun(name, settings), begun(name, settings)
        one.step("no such action")
        other.restore(one.snapshot())
        assert other.current() == one.current()
