"""Memory: what earlier judgements teach the next."""

from agentgym_critic.memory.base import Embedder

__all__ = ["Embedder"]
