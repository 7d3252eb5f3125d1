"""Environments of Gymnasium as text: what `TextEnv.from_gymnasium` builds. See `AdaptedEnv`."""

from __future__ import annotations

from agentgym_critic.envs.adapter.copying import copy_env, copy_shallow, fixed_parts
from agentgym_critic.envs.adapter.digest import state_digest
from agentgym_critic.envs.adapter.env import AdaptedEnv, StepLimit
from agentgym_critic.envs.adapter.table import Outcomes, Solution, Table

__all__ = [
    "AdaptedEnv",
    "Outcomes",
    "Solution",
    "StepLimit",
    "Table",
    "copy_env",
    "copy_shallow",
    "fixed_parts",
    "state_digest",
]
