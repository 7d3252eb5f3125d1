import numpy as np
import pytest

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.critics import OutcomeHindsightCritic, StackedCritic
from agentgym_critic.critics.learner import LearnerCritic
from agentgym_critic.critics.pooled import PooledHindsightCritic
from agentgym_critic.critics.traits import traits
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Action, Turn, Verdict


def turn(observation="A mug is here.", history=()):
    return Turn(task="Take the mug.", observation=observation, admissible_actions=("take mug", "wait"), history=history)


def episodes(count=12):
    env = make_env("agentgym_critic/FrozenLake-v0", map="random", size=4, is_slippery=False, max_steps=12)
    agents = (RandomAgent(), OracleAgent())
    return [run_episode(env, agents[seed % 2], seed=seed, hindsight=OutcomeHindsightCritic()) for seed in range(count)]


def test_it_knows_nothing_at_first_and_then_what_hindsight_said():
    critic = LearnerCritic()
    actions = [Action(text="take mug"), Action(text="wait")]
    assert [verdict.p for verdict in critic.judge(turn(), actions, [[], []])] == [0.5, 0.5]
    taught = critic
    for trajectory in episodes():
        taught = taught.learned(trajectory)
    assert taught.version == critic.version
    assert critic.judge(turn(), actions, [[], []])[0].p == 0.5  # what it was stays as it was
    assert taught.judge(turn(), actions, [[], []])[0].p != 0.5


def test_the_stack_teaches_its_members():
    stack = StackedCritic([LearnerCritic()])
    (trajectory, *_) = episodes(1)
    assert stack.learned(trajectory).judge(turn(), [Action(text="take mug")], [[]])[0].dimensions["learner"] != 0.5
    assert stack.judge(turn(), [Action(text="take mug")], [[]])[0].dimensions["learner"] == 0.5


def test_traits_are_the_same_everywhere_and_tell_steps_apart():
    one, other = traits(turn(), "take mug"), traits(turn(), "wait")
    assert np.array_equal(one, traits(turn(), "take mug"))
    assert not np.array_equal(one, other)
    drawn = turn("####\n#@.#\n####")
    assert not np.array_equal(traits(drawn, "take mug"), traits(turn("####\n#.@#\n####"), "take mug"))


@pytest.mark.parametrize("setting", [{"dim": 7}, {"strength": 0}, {"undecided": 0.5}])
def test_settings_are_checked(setting):
    with pytest.raises(ConfigError, match="dim is at least 8, strength above 0 and undecided"):
        LearnerCritic(**setting)


class Says:
    version = "1"

    def __init__(self, p):
        self.id, self.p = f"says {p}", p

    def review(self, trajectory):
        if self.p is None:
            return [Verdict.unscored(self.id, "timeout") for _ in trajectory.steps]
        return [Verdict(p=self.p, critic=self.id) for _ in trajectory.steps]


@pytest.mark.parametrize(
    ("said", "p"), [((0.8, 0.5), 0.8), ((0.8, 0.2), 0.5), ((0.8, 0.8), 16 / 17), ((0.8, None), 0.8), ((None,), None)]
)
def test_a_pool_adds_evidence_up(walk, said, p):
    verdicts = PooledHindsightCritic([Says(each) for each in said]).review(walk("abc"))
    assert [verdict.p for verdict in verdicts] == [pytest.approx(p) if p else None] * 2
    assert p is not None or verdicts[0].failure == "timeout"


def test_a_pool_of_nobody_is_refused():
    with pytest.raises(ConfigError, match="a pool has at least one hindsight critic"):
        PooledHindsightCritic([])
