"""A gym for language agents in which every step is judged twice: before it runs and after the episode.

Importing this package registers the environments with Gymnasium and loads nothing heavy: a
public name is imported from its module when it is first used.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from agentgym_critic import envs  # noqa: F401 - registers the environments
from agentgym_critic.late import late_exports

if TYPE_CHECKING:
    from agentgym_critic.agents import Agent
    from agentgym_critic.critics import Gate, HindsightCritic, PreCritic, check_critic
    from agentgym_critic.envs import TextEnv, check_text_env, env_ids, make_env
    from agentgym_critic.lm import LanguageModel, ReplayLM, load_lm
    from agentgym_critic.loop import Place, run_episode
    from agentgym_critic.memory import Embedder, MemoryBank
    from agentgym_critic.registry import make, register
    from agentgym_critic.rollout import Collected, collect
    from agentgym_critic.store import RunStore
    from agentgym_critic.types import Action, Experience, Oracle, Step, Trajectory, Turn, Verdict

__all__ = [
    "Action",
    "Agent",
    "Collected",
    "Embedder",
    "Experience",
    "Gate",
    "HindsightCritic",
    "LanguageModel",
    "MemoryBank",
    "Oracle",
    "Place",
    "PreCritic",
    "ReplayLM",
    "RunStore",
    "Step",
    "TextEnv",
    "Trajectory",
    "Turn",
    "Verdict",
    "check_critic",
    "check_text_env",
    "collect",
    "env_ids",
    "load_lm",
    "make",
    "make_env",
    "register",
    "run_episode",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "agents": ["Agent"],
        "critics": ["Gate", "HindsightCritic", "PreCritic", "check_critic"],
        "envs": ["TextEnv", "check_text_env", "env_ids", "make_env"],
        "lm": ["LanguageModel", "ReplayLM", "load_lm"],
        "loop": ["Place", "run_episode"],
        "memory": ["Embedder", "MemoryBank"],
        "registry": ["make", "register"],
        "rollout": ["Collected", "collect"],
        "store": ["RunStore"],
        "types": ["Action", "Experience", "Oracle", "Step", "Trajectory", "Turn", "Verdict"],
    },
)
