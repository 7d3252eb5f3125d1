"""Step-level credit: pure functions from arrays to advantages, each with its equation and source."""

from agentgym_critic.credit.credit import Credit, combine, on_tokens
from agentgym_critic.credit.estimators import (
    gigpo,
    grpo,
    mc_grpo,
    redistributed,
    rloo,
    shaped_rewards,
    step_groups,
    turn_critic,
)
from agentgym_critic.credit.modulators import empg, hicra
from agentgym_critic.credit.normalise import leave_one_out, normalised
from agentgym_critic.credit.returns import discounted_returns, gae, mixed_values
from agentgym_critic.credit.rollouts import Rollouts, group_of, make_rollouts, rollouts_of

__all__ = [
    "Credit",
    "Rollouts",
    "combine",
    "discounted_returns",
    "empg",
    "gae",
    "gigpo",
    "group_of",
    "grpo",
    "hicra",
    "leave_one_out",
    "make_rollouts",
    "mc_grpo",
    "mixed_values",
    "normalised",
    "on_tokens",
    "redistributed",
    "rloo",
    "rollouts_of",
    "shaped_rewards",
    "step_groups",
    "turn_critic",
]
