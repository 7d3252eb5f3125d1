"""What a set of trajectories says."""

from agentgym_critic.evaluation.summary import Summary, summarize

__all__ = ["Summary", "summarize"]
