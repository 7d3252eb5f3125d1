"""Memory: what earlier judgements teach the next.

Importing this loads neither a database nor a model: names are resolved when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.late import late_exports
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

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "bank": ["FieldWeights", "MemoryBank"],
        "embedders": ["HashingEmbedder", "SentenceTransformerEmbedder"],
        "stats": ["BankStats"],
    },
)
