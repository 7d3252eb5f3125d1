"""ScienceWorld: 30 kinds of elementary experiments, run by the package scienceworld. See `ScienceWorldEnv`."""

from __future__ import annotations

from agentgym_critic.envs.scienceworld.env import ScienceWorldEnv

__all__ = ["ScienceWorldEnv"]
