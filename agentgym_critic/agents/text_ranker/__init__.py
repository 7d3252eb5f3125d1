"""A small network, trained here, that picks among the listed actions. Importing this package loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.agents.text_ranker.encoding import Encoded, encode
from agentgym_critic.agents.text_ranker.settings import RankerSettings
from agentgym_critic.late import late_exports

if TYPE_CHECKING:
    from agentgym_critic.agents.text_ranker.agent import RankerAgent, load_agent
    from agentgym_critic.agents.text_ranker.ranker import TextRanker

__all__ = ["Encoded", "RankerAgent", "RankerSettings", "TextRanker", "encode", "load_agent"]

__getattr__, __dir__ = late_exports(__name__, {"agent": ["RankerAgent", "load_agent"], "ranker": ["TextRanker"]})
