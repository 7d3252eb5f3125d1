"""BabyAI: errands in a grid of rooms, from the package minigrid, in words. See `BabyAIEnv`."""

from __future__ import annotations

from agentgym_critic.envs.babyai.env import BabyAIEnv
from agentgym_critic.envs.babyai.levels import level_names

__all__ = ["BabyAIEnv", "level_names"]
