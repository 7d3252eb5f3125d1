import pytest

from agentgym_critic.critics import EnsembleCritic, FunctionCritic, OracleCritic, RuleCritic
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Cost, Oracle, Verdict


class Member:
    """Gives every action the same verdict, and keeps what it was shown."""

    version = "1"

    def __init__(self, id, p, recall_k=0, **fields):
        self.id, self.recall_k = id, recall_k
        self.verdict = Verdict.unscored(id, p, "why") if isinstance(p, str) else Verdict(p=p, critic=id, **fields)

    def judge(self, turn, actions, experiences):
        self.shown = experiences
        return [self.verdict for _ in actions]


def merged(turn, actions, *members, **settings):
    return EnsembleCritic(members, **settings).judge(turn, actions[:1], [[]])[0]


def test_p_is_the_mean_and_the_members_stay_visible(turn, actions):
    verdict = merged(
        turn,
        actions,
        Member("a", 0.2, critique="meh", cost=Cost(calls=1, seconds=0.5), recalled=("x", "y")),
        Member("b", 0.6, critique="good", cost=Cost(calls=2), recalled=("y", "z"), suggestion="look"),
    )
    assert verdict.p == pytest.approx(0.4)
    assert verdict.dimensions == {"a": 0.2, "b": 0.6}
    assert verdict.critique == "a: meh\nb: good"
    assert verdict.cost == Cost(calls=3, seconds=0.5)
    assert verdict.recalled == ("x", "y", "z")
    assert verdict.suggestion == "look"
    assert verdict.failure_detail == ""


def test_weights(turn, actions):
    assert merged(turn, actions, Member("a", 0.0), Member("b", 1.0), weights=[1, 3]).p == 0.75


def test_a_member_that_fails_is_left_out_and_reported(turn, actions):
    verdict = merged(turn, actions, Member("a", "timeout"), Member("b", 0.6), weights=[9, 1])
    assert (verdict.p, verdict.dimensions) == (0.6, {"b": 0.6})
    assert verdict.failure_detail == "a: timeout (why)"


def test_a_member_that_raises_is_left_out(turn, actions):
    def broken(turn, action):
        raise ValueError("oops")

    verdict = merged(turn, actions, FunctionCritic(broken, id="f"), Member("b", 0.6))
    assert (verdict.p, verdict.failure_detail) == (0.6, "f: error (ValueError: oops)")


def test_none_left_is_unscored(turn, actions):
    verdict = merged(turn, actions, Member("a", "timeout"), Member("b", "empty"))
    assert (verdict.p, verdict.failure) == (None, "timeout")
    assert verdict.failure_detail == "a: timeout (why); b: empty (why)"


def test_only_members_without_weight_left_is_unscored(turn, actions):
    verdict = merged(turn, actions, Member("a", 0.6), Member("b", "empty"), weights=[0, 1])
    assert (verdict.p, verdict.failure) == (None, "empty")


def test_equal_scores_are_kept_exactly(turn, actions):
    assert merged(turn, actions, *[Member("a", 0.1)] * 3, weights=[0.1, 0.7, 0.3]).p == 0.1


def test_members_of_the_same_id_are_told_apart(turn, actions):
    assert merged(turn, actions, Member("a", 0.1), Member("a", 0.9)).dimensions == {"a": 0.1, "a#2": 0.9}


def test_every_member_sees_as_many_experiences_as_it_asked_for(turn, actions, experiences):
    none, one, two = Member("a", 0.5), Member("b", 0.5, recall_k=1), Member("c", 0.5, recall_k=2)
    ensemble = EnsembleCritic([none, one, two])
    assert ensemble.recall_k == 2
    ensemble.judge(turn, actions[:1], [experiences])
    assert none.shown == [[]]
    assert [it.id for it in one.shown[0]] == ["productive0", "unproductive0"]
    assert len(two.shown[0]) == 4


def test_members_that_see_the_simulator_get_it_in_copies(turn, actions):
    class World:
        def oracle(self):
            return Oracle(actions=("take mug 1",), steps_left=1)

    oracle = OracleCritic()
    ensemble = EnsembleCritic([oracle, RuleCritic()])
    ensemble.attach(World())
    verdicts = ensemble.judge(turn, actions, [[], []])
    assert [verdict.p for verdict in verdicts] == [0.75, 0.25]
    assert oracle._env is None


@pytest.mark.parametrize(
    ("members", "weights", "message"),
    [
        ([], None, "an ensemble has at least one member, got none"),
        ([RuleCritic()], [1, 2], "an ensemble of 1 members needs as many weights, got 2"),
        ([RuleCritic()], [0], r"not negative and not all zero, got \[0\]"),
        ([RuleCritic()], [-1], r"not negative and not all zero, got \[-1\]"),
        ([RuleCritic()], [float("nan")], r"not negative and not all zero, got \[nan\]"),
    ],
)
def test_what_cannot_be_meant_is_refused(members, weights, message):
    with pytest.raises(ConfigError, match=message):
        EnsembleCritic(members, weights)


def test_the_version_changes_with_members_and_weights():
    a, b = Member("a", 0.1), Member("b", 0.1)
    ensembles = [EnsembleCritic([a]), EnsembleCritic([b]), EnsembleCritic([a, b]), EnsembleCritic([a, b], [1, 2])]
    assert len({ensemble.version for ensemble in ensembles}) == 4
