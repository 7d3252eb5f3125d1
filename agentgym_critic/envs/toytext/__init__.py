"""Gymnasium's toy-text environments in words, their dynamics untouched, with exact oracles."""

from __future__ import annotations

from agentgym_critic.envs.toytext.blackjack import BlackjackEnv
from agentgym_critic.envs.toytext.cliff_walking import CliffWalkingEnv
from agentgym_critic.envs.toytext.frozen_lake import FrozenLakeEnv
from agentgym_critic.envs.toytext.taxi import TaxiEnv

__all__ = ["BlackjackEnv", "CliffWalkingEnv", "FrozenLakeEnv", "TaxiEnv"]
