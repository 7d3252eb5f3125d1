"""Guided search: agents that try actions in the simulator, led by a critic, and take all of it back before they act."""

from agentgym_critic.agents.search.beam import BeamSearch
from agentgym_critic.agents.search.best_of_n import BestOfN
from agentgym_critic.agents.search.mcts import TreeSearch

__all__ = ["BeamSearch", "BestOfN", "TreeSearch"]
