"""Jericho: interactive fiction from story files of your own. See `JerichoEnv`."""

from __future__ import annotations

from agentgym_critic.envs.jericho.env import JerichoEnv

__all__ = ["JerichoEnv"]
