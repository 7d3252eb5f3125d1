"""Points24: make 24 from four cards, one token of a formula at a time; exact oracle."""

from __future__ import annotations

from agentgym_critic.envs.points24.env import Points24Env
from agentgym_critic.envs.points24.formula import Formula
from agentgym_critic.envs.points24.solve import Solver

__all__ = ["Formula", "Points24Env", "Solver"]
