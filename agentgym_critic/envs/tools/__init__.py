"""Errands by function calls over a calendar, a bank and a mailbox, with typed errors and an exact planner."""

from __future__ import annotations

from agentgym_critic.envs.tools.calls import BadCall, Call, read_call, write_call
from agentgym_critic.envs.tools.env import ToolsEnv
from agentgym_critic.envs.tools.functions import FUNCTIONS, Function

__all__ = ["FUNCTIONS", "BadCall", "Call", "Function", "ToolsEnv", "read_call", "write_call"]
