"""Agents: who proposes the actions. Importing this package loads none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.agents.base import Agent, ProposesAlternatives
from agentgym_critic.late import late_exports

if TYPE_CHECKING:
    from agentgym_critic.agents.household import HouseholdExpert
    from agentgym_critic.agents.human import HumanAgent, Played, play
    from agentgym_critic.agents.lm import LMAgent
    from agentgym_critic.agents.oracle import OracleAgent
    from agentgym_critic.agents.random import RandomAgent
    from agentgym_critic.agents.ranker import LMRanker
    from agentgym_critic.agents.scripted import ScriptedAgent
    from agentgym_critic.agents.search import BeamSearch, BestOfN, TreeSearch

__all__ = [
    "Agent",
    "BeamSearch",
    "BestOfN",
    "HouseholdExpert",
    "HumanAgent",
    "LMAgent",
    "LMRanker",
    "OracleAgent",
    "Played",
    "ProposesAlternatives",
    "RandomAgent",
    "ScriptedAgent",
    "TreeSearch",
    "play",
]

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "household": ["HouseholdExpert"],
        "human": ["HumanAgent", "Played", "play"],
        "lm": ["LMAgent"],
        "oracle": ["OracleAgent"],
        "random": ["RandomAgent"],
        "ranker": ["LMRanker"],
        "scripted": ["ScriptedAgent"],
        "search": ["BeamSearch", "BestOfN", "TreeSearch"],
    },
)
