"""Agents: who proposes the actions."""

from agentgym_critic.agents.base import Agent, ProposesAlternatives

__all__ = ["Agent", "ProposesAlternatives"]
