import pytest

from agentgym_critic.critics import OracleCritic, safe_judge
from agentgym_critic.errors import CriticError
from agentgym_critic.types import Oracle


class World:
    """A simulator that knows the way."""

    def __init__(self, oracle):
        self._oracle = oracle

    def oracle(self):
        return self._oracle


def judge(oracle, turn, actions):
    critic = OracleCritic()
    critic.attach(World(oracle))
    return critic.judge(turn, actions, [[] for _ in actions])


def test_productive_is_what_starts_a_shortest_way(turn, actions):
    verdicts = judge(Oracle(actions=("take mug 1",), steps_left=3), turn, actions)
    assert [verdict.p for verdict in verdicts] == [1.0, 0.0]


def test_a_walkthrough_says_nothing_about_other_ways(turn, actions):
    on_it, off_it = judge(Oracle(actions=("take mug 1",), steps_left=3, exact=False), turn, actions)
    assert on_it.p == 1.0
    assert (off_it.p, off_it.failure) == (None, "error")
    assert "need not be the only one" in off_it.failure_detail


def test_no_way_known_is_unscored(turn, actions):
    assert [verdict.p for verdict in judge(None, turn, actions)] == [None, None]


def test_an_environment_without_oracle_is_unscored(turn, actions):
    critic = OracleCritic()
    critic.attach(object())
    (verdict, _) = critic.judge(turn, actions, [[], []])
    assert verdict.failure_detail == "the environment knows no way to success from here"


def test_it_must_be_attached(turn, actions):
    with pytest.raises(CriticError, match=r"sees no environment; call attach\(env\) first"):
        OracleCritic().judge(turn, actions, [[], []])
    assert safe_judge(OracleCritic(), turn, actions, [[], []])[0].failure == "error"
