"""Questions over several documents: search a local corpus, answer, and be scored as in question answering."""

from __future__ import annotations

from agentgym_critic.envs.search.env import SearchEnv
from agentgym_critic.envs.search.files import read_library
from agentgym_critic.envs.search.index import Index
from agentgym_critic.envs.search.library import Document, Library, Question
from agentgym_critic.envs.search.scoring import Score, score
from agentgym_critic.envs.search.world import make_world

__all__ = ["Document", "Index", "Library", "Question", "Score", "SearchEnv", "make_world", "read_library", "score"]
