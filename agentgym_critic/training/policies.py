"""The policies that are trained here."""

from agentgym_critic.agents.text_ranker import RankerAgent, RankerSettings, TextRanker

__all__ = ["RankerAgent", "RankerSettings", "TextRanker"]
