"""Memory: what earlier judgements teach the next.

Importing this loads neither a database nor a model: names are resolved when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from agentgym_critic.memory.base import Embedder

if TYPE_CHECKING:
    from agentgym_critic.memory.bank import FieldWeights, MemoryBank
    from agentgym_critic.memory.embedders import HashingEmbedder, SentenceTransformerEmbedder
    from agentgym_critic.memory.stats import BankStats

__all__ = [
    "BankStats",
    "Embedder",
    "FieldWeights",
    "HashingEmbedder",
    "MemoryBank",
    "SentenceTransformerEmbedder",
]

_MODULES = {
    "BankStats": "stats",
    "FieldWeights": "bank",
    "HashingEmbedder": "embedders",
    "MemoryBank": "bank",
    "SentenceTransformerEmbedder": "embedders",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
