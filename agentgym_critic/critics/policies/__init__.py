"""Policies: whether to intervene, given what a critic said. What is done then, and how often at most, is the gate's."""

from agentgym_critic.critics.policies.base import InterventionPolicy
from agentgym_critic.critics.policies.helper import HelperPolicy
from agentgym_critic.critics.policies.random import RandomPolicy
from agentgym_critic.critics.policies.threshold import ThresholdPolicy
from agentgym_critic.critics.policies.value import ValuePolicy

__all__ = ["HelperPolicy", "InterventionPolicy", "RandomPolicy", "ThresholdPolicy", "ValuePolicy"]
