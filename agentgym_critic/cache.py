"""Where everything is kept that can be made again: converted models, generated games, indices."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """``$AGENTGYM_CRITIC_CACHE``, else this package's folder in the user's cache; it may not exist yet."""
    named = os.environ.get("AGENTGYM_CRITIC_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("agentgym-critic"))
