"""Two players in one world: the contract, and how an opponent is given. Knows no game."""

from __future__ import annotations

from agentgym_critic.envs.versus.env import VersusEnv
from agentgym_critic.envs.versus.guest import Opponent

__all__ = ["Opponent", "VersusEnv"]
