"""Critics: who judges the actions, before and after."""

from agentgym_critic.critics.base import HindsightCritic, PreCritic

__all__ = ["HindsightCritic", "PreCritic"]
