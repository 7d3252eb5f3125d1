"""Sokoban: levels from a seed or a file, text observations, an exact solver as the oracle."""

from __future__ import annotations

from agentgym_critic.envs.sokoban.collection import read_levels
from agentgym_critic.envs.sokoban.env import SokobanEnv
from agentgym_critic.envs.sokoban.generate import Recipe, generate_level
from agentgym_critic.envs.sokoban.level import Level, format_level, parse_level
from agentgym_critic.envs.sokoban.solve import Solver

__all__ = ["Level", "Recipe", "SokobanEnv", "Solver", "format_level", "generate_level", "parse_level", "read_levels"]
