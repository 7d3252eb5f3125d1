"""What a run store keeps besides trajectories."""

from __future__ import annotations

from typing import Any

from agentgym_critic.types import Record

__all__ = ["Failure", "Run", "RunConfig"]


class RunConfig(Record, frozen=True):
    """What makes two runs the same experiment; a run is resumed only with an equal one."""

    env_id: str
    env_module: str = ""
    """What to import so that the id is known; empty for what this package or Gymnasium registers."""
    env_settings: dict[str, Any] = {}
    env_version: str = ""
    agent: str = ""
    critic: str = ""
    hindsight_critic: str = ""
    gate: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    """What else the caller wants to be the same when the run is resumed."""
    bank: str = ""
    """Path of the memory bank from the store's folder; empty without one."""
    seed: int = 0
    group_size: int = 1
    parallel: int = 1


class Run(Record, frozen=True):
    """A series of episodes."""

    id: str
    created_at: str
    """ISO 8601, UTC."""
    config: RunConfig
    stream_start: int = 0
    """Stream position of the run's first episode in its memory bank."""
    versions: dict[str, str] = {}
    """Package and Python versions at the time."""


class Failure(Record, frozen=True):
    """An episode that could not be played to its end."""

    episode: int
    """Number of the episode in its run, from 0."""
    seed: int
    component: str
    """Whose code failed, for example ``"environment agentgym_critic/Sokoban-v0"``."""
    error: str
    """Class of the exception."""
    message: str
    traceback: str = ""
    failed_at: str = ""
    """ISO 8601, UTC; set by the store."""
