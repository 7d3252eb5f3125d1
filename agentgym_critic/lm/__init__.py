"""Language models behind one protocol. Importing this package loads no model library."""

import importlib
from typing import TYPE_CHECKING, Any

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

_LATE = {
    "OpenAICompatibleLM": "openai_lm",
    "ReplayLM": "replay",
    "TransformersLM": "transformers_lm",
    "load_lm": "resolve",
}


def __getattr__(name: str) -> Any:
    """Import the implementations only when they are asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
