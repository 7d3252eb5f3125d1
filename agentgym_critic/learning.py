"""`Course`: a critic as it was at each point of a run, having learnt from the episodes before and no others."""

from __future__ import annotations

import threading
from collections import OrderedDict

from agentgym_critic.critics.base import LearnsFromHindsight, PreCritic
from agentgym_critic.errors import CriticError, boundary
from agentgym_critic.store import Run, RunStore

__all__ = ["Course", "trajectory_id"]


def trajectory_id(run: Run, episode: int) -> str:
    """What the trajectory of an episode is called."""
    return f"{run.id}-{episode:05d}"


class Course:
    """What a critic has learnt by when; safe to ask from several threads.

    Args:
        critic: as it is before the run; it stays as it is.
        store: where the run's episodes are; what they teach is read from there.
        run: whose episodes.
        kept: how far back it may be asked, in episodes, from the furthest it has been.
    """

    def __init__(self, critic: PreCritic, store: RunStore, run: Run, kept: int) -> None:
        self._store, self._run, self._kept = store, run, kept
        self._lock = threading.Lock()
        self._states: OrderedDict[int, PreCritic] = OrderedDict({0: critic})

    def before(self, episode: int) -> PreCritic:
        """The critic after all episodes before this one; those that failed taught it nothing.

        Raises:
            CriticError: it could not learn.
        """
        with self._lock:
            furthest = next(reversed(self._states))
            for number in range(furthest, episode):
                self._states[number + 1] = self._after(self._states[number], number)
                while len(self._states) > self._kept:
                    self._states.popitem(last=False)
            return self._states[episode]

    def _after(self, critic: PreCritic, episode: int) -> PreCritic:
        trajectory = self._store.find(trajectory_id(self._run, episode))
        if trajectory is None or not isinstance(critic, LearnsFromHindsight):
            return critic
        with boundary(f"critic {critic.id}", CriticError):
            return critic.learned(trajectory)
