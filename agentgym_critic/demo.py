"""The demo: a real language model plays two games, judged before and after, and leaves its store.

It plays Sokoban and a household game: ALFWorld where its data is, else one that TextWorld makes.
"""

from __future__ import annotations

from typing import Any

from agentgym_critic.assembly import Assembly, RunOptions, RunReport, run
from agentgym_critic.envs import make_env
from agentgym_critic.errors import AgentGymError
from agentgym_critic.rollout import OnEpisode
from agentgym_critic.types import Record

__all__ = ["DemoReport", "run_demo"]

_SOKOBAN: dict[str, Any] = {
    "env": "agentgym_critic/Sokoban-v0",
    "env_settings": {"size": 5, "min_solution": 2, "max_steps": 15},
}
_ALFWORLD: dict[str, Any] = {
    "env": "agentgym_critic/ALFWorld-v0",
    "env_settings": {"split": "valid_unseen", "max_steps": 15},
}
_TEXTWORLD: dict[str, Any] = {
    "env": "agentgym_critic/TextWorld-v0",
    "env_settings": {"challenge": "tw-simple", "max_steps": 15},
}
# A greedy model this small does one thing over and over; sampled, it gets somewhere and the bank has both kinds.
_PLAYERS: dict[str, Any] = {
    "agent": "lm-rank",
    "agent_settings": {"temperature": 0.5},
    "critic": "bank-ptrue",
    "hindsight": "outcome",
}


class DemoReport(Record, frozen=True):
    """What the demo came to."""

    model: str
    model_source: str
    """Where the model was found: a path, the cache, the hub or the wheel."""
    runs: tuple[RunReport, ...]


def run_demo(
    *, model: str = "smollm2", out: str = "demo.db", episodes: int = 5, on_episode: OnEpisode | None = None
) -> DemoReport:
    """Play `episodes` in each of the two environments, into one store and one growing bank.

    Raises:
        MissingExtraError: torch, transformers or textworld is not installed.
        MissingDataError: the model is nowhere to be found.
    """
    household = _ALFWORLD if _has_alfworld() else _TEXTWORLD
    make_env(household["env"], **household["env_settings"]).close()  # what is missing is said at once
    assembly = Assembly(model)
    options = [
        RunOptions(**game, **_PLAYERS, out=out, model=model, episodes=episodes) for game in (_SOKOBAN, household)
    ]
    reports = tuple(run(each, on_episode, assembly) for each in options)
    return DemoReport(model=assembly.lm.id, model_source=getattr(assembly.lm, "source", ""), runs=reports)


def _has_alfworld() -> bool:
    try:
        make_env(_ALFWORLD["env"], **_ALFWORLD["env_settings"]).close()
    except AgentGymError:
        return False
    return True
