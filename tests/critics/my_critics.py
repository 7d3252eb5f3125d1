"""Critics as users write them, looked up by ``"my_critics:..."`` strings in the tests."""

from __future__ import annotations

from agentgym_critic.types import Verdict

WALLS = "walls"


class Judge:
    """A critic class with a setting."""

    id, version, recall_k = "judge", "1", 0

    def __init__(self, p=0.5):
        self.p = p

    def judge(self, turn, actions, experiences):
        return [Verdict(p=self.p, critic=self.id, version=self.version) for _ in actions]


class Reviewer:
    """A hindsight critic class."""

    id, version = "reviewer", "1"

    def review(self, trajectory):
        return [Verdict(p=0.25, critic=self.id, version=self.version) for _ in trajectory.steps]


class Fussy:
    """Raises when it is made."""

    def __init__(self):
        raise ValueError("no licence")


class Nothing:
    """Is no critic."""


def likes_looking(turn, action):
    return 0.9 if action.text == "look" else 0.1


def last_is_best(trajectory):
    return [float(step is trajectory.steps[-1]) for step in trajectory.steps]


def make_judge(*, p=0.3):
    return Judge(p)


def make_function(threshold):
    def judge(turn, action):
        return threshold

    return judge


def make_nothing():
    return 5


instance = Judge(0.75)
