"""Agents: who proposes the actions. Importing this package loads none of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from agentgym_critic.agents.base import Agent, ProposesAlternatives

if TYPE_CHECKING:
    from agentgym_critic.agents.human import HumanAgent, Played, play
    from agentgym_critic.agents.lm import LMAgent
    from agentgym_critic.agents.oracle import OracleAgent
    from agentgym_critic.agents.random import RandomAgent
    from agentgym_critic.agents.ranker import LMRanker
    from agentgym_critic.agents.scripted import ScriptedAgent

__all__ = [
    "Agent",
    "HumanAgent",
    "LMAgent",
    "LMRanker",
    "OracleAgent",
    "Played",
    "ProposesAlternatives",
    "RandomAgent",
    "ScriptedAgent",
    "play",
]

_LATE = {
    "HumanAgent": "human",
    "LMAgent": "lm",
    "LMRanker": "ranker",
    "OracleAgent": "oracle",
    "Played": "human",
    "RandomAgent": "random",
    "ScriptedAgent": "scripted",
    "play": "human",
}


def __getattr__(name: str) -> Any:
    """Import an agent only when it is asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
