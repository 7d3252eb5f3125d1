"""Language models behind one protocol. Importing this package loads no model library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.late import late_exports
from agentgym_critic.lm.base import Completion, LanguageModel, Message, ScoredText, user

if TYPE_CHECKING:
    from agentgym_critic.lm.openai_lm import OpenAICompatibleLM
    from agentgym_critic.lm.replay import ReplayLM
    from agentgym_critic.lm.resolve import load_lm
    from agentgym_critic.lm.transformers_lm import TransformersLM

__all__ = [
    "Completion",
    "LanguageModel",
    "Message",
    "OpenAICompatibleLM",
    "ReplayLM",
    "ScoredText",
    "TransformersLM",
    "load_lm",
    "user",
]

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "openai_lm": ["OpenAICompatibleLM"],
        "replay": ["ReplayLM"],
        "resolve": ["load_lm"],
        "transformers_lm": ["TransformersLM"],
    },
)
