"""Environments. Importing this module registers their ids with Gymnasium and loads none of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from agentgym_critic.envs.base import FreeText, Outcome, Snapshot, TextEnv
from agentgym_critic.errors import EnvError, UnknownIdError, boundary
from agentgym_critic.late import late_exports
from agentgym_critic.settings import check_settings

if TYPE_CHECKING:
    from agentgym_critic.envs.checker import check_text_env
    from agentgym_critic.envs.vector import TextVectorEnv, VectorSnapshot, make_vector_env

__all__ = [
    "FreeText",
    "Outcome",
    "Snapshot",
    "TextEnv",
    "TextVectorEnv",
    "VectorSnapshot",
    "check_text_env",
    "describe_envs",
    "env_ids",
    "make_env",
    "make_vector_env",
]

_NAMESPACE = "agentgym_critic"

_ENVIRONMENTS = {
    "ALFWorld-v0": (
        "agentgym_critic.envs.alfworld:make_alfworld",
        "household tasks in text: find, clean, heat, cool and place things",
    ),
    "BabyAI-v0": (
        "agentgym_critic.envs.babyai:BabyAIEnv",
        "errands in a grid of rooms seen in part, on the package minigrid, with its bot as the oracle",
    ),
    "Battleship-v0": (
        "agentgym_critic.envs.battleship:BattleshipEnv",
        "sink a hidden fleet with few shots and noisy questions, with an exact posterior",
    ),
    "Blackjack-v0": (
        "agentgym_critic.envs.toytext:BlackjackEnv",
        "Gymnasium's Blackjack in words, with exact values of every hand",
    ),
    "CliffWalking-v0": (
        "agentgym_critic.envs.toytext:CliffWalkingEnv",
        "Gymnasium's CliffWalking in words, with exact values of every cell",
    ),
    "ConnectFour-v0": (
        "agentgym_critic.envs.boards:ConnectFourEnv",
        "two players drop stones to get four in a line, on boards of any small size",
    ),
    "FrozenLake-v0": (
        "agentgym_critic.envs.toytext:FrozenLakeEnv",
        "Gymnasium's FrozenLake in words, on its maps or random ones, with exact values of every cell",
    ),
    "Game2048-v0": (
        "agentgym_critic.envs.game2048:Game2048Env",
        "slide and merge tiles up to 2048 or another target, judged by expectimax and random rollouts",
    ),
    "Hex-v0": (
        "agentgym_critic.envs.boards:HexEnv",
        "two players connect opposite edges of a rhombus of hexagons",
    ),
    "Jericho-v0": (
        "agentgym_critic.envs.jericho:JerichoEnv",
        "interactive fiction from a story file that you have, on the package jericho",
    ),
    "Negotiation-v0": (
        "agentgym_critic.envs.negotiation:NegotiationEnv",
        "a buyer and a seller bargain over a price, against counterparts of several tempers",
    ),
    "Points24-v0": (
        "agentgym_critic.envs.points24:Points24Env",
        "make 24 of four cards, a formula token by token, with an exact solver",
    ),
    "ScienceWorld-v0": (
        "agentgym_critic.envs.scienceworld:ScienceWorldEnv",
        "elementary science experiments: 30 tasks in many variations, on the package scienceworld (Java)",
    ),
    "Search-v0": (
        "agentgym_critic.envs.search:SearchEnv",
        "questions that take several documents: search a local corpus, then answer",
    ),
    "Sokoban-v0": (
        "agentgym_critic.envs.sokoban:SokobanEnv",
        "push boxes onto targets; levels from a seed, with an exact solver",
    ),
    "Taxi-v0": (
        "agentgym_critic.envs.toytext:TaxiEnv",
        "Gymnasium's Taxi in words, with exact values of every state",
    ),
    "TextWorld-v0": (
        "agentgym_critic.envs.textworld:TextWorldEnv",
        "text adventures generated from a seed: a quest, cooking, coins, treasure",
    ),
    "TicTacToe-v0": (
        "agentgym_critic.envs.boards:TicTacToeEnv",
        "two players, three in a line, with the perfect answer to every move",
    ),
    "Tools-v0": (
        "agentgym_critic.envs.tools:ToolsEnv",
        "errands by function calls over a calendar, a bank and a mailbox, with typed errors",
    ),
    "WebShop-v0": (
        "agentgym_critic.envs.webshop:make_webshop",
        "find and buy what was asked for: a shop in text, on WebShop's products or generated ones",
    ),
}
"""For each name its entry point and what it is, in a line."""

for _name, (_entry_point, _) in _ENVIRONMENTS.items():
    # TextEnv enforces the order of calls itself, and unwrapped environments can be saved and restored.
    gymnasium.register(
        f"{_NAMESPACE}/{_name}",
        entry_point=_entry_point,
        vector_entry_point=f"{__name__}.vector:{_name}",
        order_enforce=False,
        disable_env_checker=True,
    )


def describe_envs() -> dict[str, str]:
    """The ids of this package's environments with a line about each, sorted."""
    return {f"{_NAMESPACE}/{name}": line for name, (_, line) in sorted(_ENVIRONMENTS.items())}


def env_ids() -> list[str]:
    """The ids of this package's environments, sorted."""
    return list(describe_envs())


def make_env(env_id: str, **settings: Any) -> gymnasium.Env[str, str]:
    """Build an environment, of this package or any other registered with Gymnasium.

    Args:
        env_id: for example ``"agentgym_critic/Sokoban-v0"``; ``"my_package:MyEnv-v0"`` imports
            ``my_package`` first, as `gymnasium.make` does.
        settings: keyword arguments of the environment.

    Raises:
        UnknownIdError: no such id; the message names the nearest.
        ConfigError: the environment refuses the settings.
        EnvError: its constructor raised.
    """
    with boundary(f"environment {env_id}", EnvError):
        spec = _find(env_id)
        check_settings(f"environment {env_id}", _creator(spec), {**spec.kwargs, **settings})
        return gymnasium.make(spec, disable_env_checker=True, **settings)


def _find(env_id: str) -> EnvSpec:
    module, _, name = env_id.rpartition(":")
    try:
        if module:
            importlib.import_module(module)
        return gymnasium.spec(name)
    except gymnasium.error.Error as cause:
        raise UnknownIdError("environment", name, gymnasium.registry, "`agentgym-critic envs` lists ours.") from cause
    except ModuleNotFoundError as cause:
        if cause.name != module:
            raise
        raise UnknownIdError("environment", env_id, env_ids(), f"No module {module!r} can be imported.") from cause


def _creator(spec: EnvSpec) -> Callable[..., Any]:
    assert spec.entry_point is not None
    return load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point


__getattr__, __dir__ = late_exports(
    __name__,
    {"checker": ["check_text_env"], "vector": ["TextVectorEnv", "VectorSnapshot", "make_vector_env"]},
)
