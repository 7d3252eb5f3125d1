"""Runs on disk."""

from agentgym_critic.store.records import Failure, Run, RunConfig
from agentgym_critic.store.store import RunStore

__all__ = ["Failure", "Run", "RunConfig", "RunStore"]
