"""Golden episodes: what an oracle's play in each environment looked like when it was recorded.

Only a digest of an episode is kept. `agentgym-critic doctor` and the tests play them again;
`python -m agentgym_critic.golden` records them anew, for a change that is meant.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from importlib import resources
from typing import Any

from agentgym_critic.agents.oracle import OracleAgent
from agentgym_critic.envs import make_env
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Record, Trajectory, from_json, to_json

__all__ = ["Golden", "load_golden", "play"]


class Golden(Record, frozen=True):
    """An oracle's episode, as a digest."""

    env_id: str
    env_settings: dict[str, Any]
    seed: int
    env_version: str
    """A difference under another version of the dynamics is no fault."""
    steps: int
    digest: str
    """SHA-256 of all observations and actions."""


def load_golden() -> list[Golden]:
    """The recorded episodes."""
    return from_json(resources.files("agentgym_critic").joinpath("golden.json").read_bytes(), list[Golden])


def play(env_id: str, env_settings: dict[str, Any], seed: int) -> Golden:
    """Play an episode with the oracle.

    Raises:
        AgentGymError: the environment cannot be built or fails, or the oracle does.
    """
    with contextlib.closing(make_env(env_id, **env_settings)) as env:
        trajectory = run_episode(env, OracleAgent(), seed=seed)
    return Golden(
        env_id=env_id,
        env_settings=env_settings,
        seed=seed,
        env_version=trajectory.env_version,
        steps=len(trajectory.steps) if trajectory.success else -1,
        digest=_digest(trajectory),
    )


def _digest(trajectory: Trajectory) -> str:
    seen = [(step.observation, step.action.text, step.next_observation) for step in trajectory.steps]
    return hashlib.sha256(to_json(seen)).hexdigest()


_ALFWORLD_GAME = "pick_and_place_simple-Pencil-None-Shelf-308/trial_T20190908_122154_042763"
_EPISODES: list[tuple[str, dict[str, Any]]] = [
    ("agentgym_critic/Sokoban-v0", {}),
    ("agentgym_critic/TextWorld-v0", {}),
    ("agentgym_critic/ALFWorld-v0", {"split": "procedural"}),
    ("agentgym_critic/ALFWorld-v0", {"split": "valid_unseen", "game_id": _ALFWORLD_GAME}),
]

if __name__ == "__main__":
    sys.stdout.buffer.write(to_json([play(env_id, settings, seed=0) for env_id, settings in _EPISODES]))
