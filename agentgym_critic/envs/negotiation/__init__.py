"""A buyer and a seller bargain over a price; counterparts of several tempers, and the best that can be had of them."""

from __future__ import annotations

from agentgym_critic.envs.negotiation.env import NegotiationEnv
from agentgym_critic.envs.negotiation.outlook import Outlook
from agentgym_critic.envs.negotiation.tempers import TEMPERS, Temper

__all__ = ["TEMPERS", "NegotiationEnv", "Outlook", "Temper"]
