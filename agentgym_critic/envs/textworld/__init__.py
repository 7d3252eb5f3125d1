"""TextWorld: games that the package textworld generates from a seed. See `TextWorldEnv`."""

from __future__ import annotations

from agentgym_critic.envs.textworld.challenges import CHALLENGES
from agentgym_critic.envs.textworld.env import TextWorldEnv

__all__ = ["CHALLENGES", "TextWorldEnv"]
