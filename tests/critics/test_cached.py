import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import CorridorEnv

from agentgym_critic.critics import CachedCritic, FunctionCritic, KernelCritic, RuleCritic, StackedCritic, check_critic
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.bounded import BoundedCache
from agentgym_critic.errors import ConfigError, CriticError
from agentgym_critic.types import Action, Cost, Turn, Verdict


class Counting:
    """Counts what it is asked."""

    id, version, recall_k = "counting", "1", 0

    def __init__(self):
        self.asked = []

    def judge(self, turn, actions, experiences):
        self.asked.append([action.text for action in actions])
        return [
            Verdict.unscored(self.id, "timeout", version=self.version)
            if action.text == "fail"
            else Verdict(p=0.25, critic=self.id, version=self.version, cost=Cost(calls=1))
            for action in actions
        ]


def judge(critic, turn, *texts):
    return critic.judge(turn, [Action(text=text) for text in texts], [[] for _ in texts])


def test_the_critic_is_asked_once_for_an_action_in_a_state(turn):
    critic = Counting()
    cached = CachedCritic(critic)
    first = judge(cached, turn, "look", "wait")
    again = judge(cached, turn, "wait", "go", "look", "go")
    assert critic.asked == [["look", "wait"], ["go"]]
    assert [verdict.cost.calls for verdict in [*first, *again]] == [1, 1, 0, 1, 0, 0]
    assert {verdict.p for verdict in [*first, *again]} == {0.25}


def test_another_turn_or_another_version_is_asked_again(turn):
    critic = Counting()
    cached = CachedCritic(critic)
    judge(cached, turn, "look")
    judge(cached, msgspec.structs.replace(turn, history=()), "look")
    critic.version = "2"
    judge(cached, turn, "look")
    assert len(critic.asked) == 3


def test_what_an_action_cost_its_agent_makes_no_difference(turn):
    critic = Counting()
    cached = CachedCritic(critic)
    for seconds in (1.0, 2.0):
        cached.judge(turn, [Action(text="look", cost=Cost(seconds=seconds))], [[]])
    cached.judge(turn, [Action(text="look", thought="hm")], [[]])
    assert len(critic.asked) == 2


def test_failures_are_asked_again(turn):
    critic = Counting()
    cached = CachedCritic(critic)
    assert [judge(cached, turn, "fail")[0].failure for _ in range(2)] == ["timeout", "timeout"]
    assert len(critic.asked) == 2


def test_the_same_state_by_another_way_is_found_by_its_key(turn):
    env, critic = CorridorEnv(), Counting()
    env.reset(seed=0)
    cached = attached(CachedCritic(critic, by="state_key"), env)
    (verdict,) = judge(cached, turn, "right")
    judge(cached, msgspec.structs.replace(turn, history=(), index=9), "right")
    assert critic.asked == [["right"]]
    assert (verdict.version, cached.version) == ("1:state_key", "1:state_key")
    env.step("right")
    judge(cached, turn, "right")
    assert len(critic.asked) == 2
    with pytest.raises(CriticError, match=r"sees no environment; call attach\(env\) first"):
        judge(CachedCritic(critic, by="state_key"), turn, "right")


def test_the_memory_is_bounded(turn):
    critic = Counting()
    cached = CachedCritic(critic, most_bytes=1)
    judge(cached, turn, "look")
    judge(cached, turn, "look")
    assert len(critic.asked) == 2


def test_it_says_exactly_what_the_critic_says(turn):
    plain, cached = RuleCritic(), CachedCritic(RuleCritic())
    texts = ("go to sink 1", "look", "fly")
    for _ in range(2):
        assert judge(cached, turn, *texts) == judge(plain, turn, *texts)


@pytest.mark.parametrize("critic", [KernelCritic(), StackedCritic([RuleCritic()])])
def test_a_critic_that_recalls_or_learns_is_refused(critic):
    with pytest.raises(ConfigError, match=f"the critic {critic.id} recalls or learns"):
        CachedCritic(critic)


def test_an_unknown_state_is_refused():
    with pytest.raises(ConfigError, match="by is turn or state_key, got 'room'"):
        CachedCritic(RuleCritic(), by="room")


def test_it_keeps_the_contract():
    check_critic(CachedCritic(FunctionCritic(lambda turn, action: 0.5, id="half")), deterministic=True)


@given(st.integers(0, 12), st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4))))
def test_a_bounded_cache_keeps_the_latest_that_fit(most, puts):
    cache = BoundedCache(most)
    latest = {}
    for key, size in puts:
        cache.put(key, size, size)
        latest.pop(key, None)
        latest[key] = size
        while sum(latest.values()) > most:
            del latest[next(iter(latest))]
        assert {key: cache.get(key) for key in latest} == latest
    assert len(cache) == len(latest)


def test_a_cache_of_a_negative_size_is_refused():
    with pytest.raises(ConfigError, match="at least 0, got -1"):
        BoundedCache(-1)


def test_a_turn_of_any_text_has_a_key():
    (verdict,) = judge(CachedCritic(Counting()), Turn(task="\ud800", observation="\0"), "\udfff")
    assert verdict.p == 0.25
