"""Language models behind one protocol."""

from agentgym_critic.lm.base import Completion, LanguageModel, Message, ScoredText, user

__all__ = ["Completion", "LanguageModel", "Message", "ScoredText", "user"]
