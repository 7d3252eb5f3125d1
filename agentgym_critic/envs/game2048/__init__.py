"""2048: slide and merge tiles; expectimax and random rollouts as the oracle."""

from __future__ import annotations

from agentgym_critic.envs.game2048.env import Game2048Env
from agentgym_critic.envs.game2048.expectimax import ActionValues, Expectimax
from agentgym_critic.envs.game2048.rollouts import Estimate

__all__ = ["ActionValues", "Estimate", "Expectimax", "Game2048Env"]
