"""Battleship for one player: find a hidden fleet with few shots, asking noisy questions on the way."""

from __future__ import annotations

from agentgym_critic.envs.battleship.belief import Answer, Belief, Sight, believe
from agentgym_critic.envs.battleship.env import BattleshipEnv
from agentgym_critic.envs.battleship.waters import Waters, draw_fleet

__all__ = ["Answer", "BattleshipEnv", "Belief", "Sight", "Waters", "believe", "draw_fleet"]
