"""Critics in a real environment with an exact oracle, through the real loop."""

import pytest

from agentgym_critic import make_env, registry, run_episode
from agentgym_critic.critics import EnsembleCritic, Gate, OracleCritic, OutcomeHindsightCritic, RuleCritic


@pytest.fixture(scope="module")
def env():
    return make_env("agentgym_critic/Sokoban-v0")


def test_all_agree_that_the_optimal_player_is_productive(env):
    critic = EnsembleCritic([OracleCritic(), RuleCritic()], weights=[1, 0])
    for seed in range(5):
        agent = registry.make("agent", "oracle")
        trajectory = run_episode(env, agent, seed=seed, critic=critic, hindsight=OutcomeHindsightCritic())
        assert trajectory.success
        assert all(step.verdict.p == 1.0 for step in trajectory.steps)
        assert all(step.hindsight.label == "productive" for step in trajectory.steps)


def test_hindsight_on_random_successes_agrees_with_the_oracle(env):
    agree = []
    for seed in range(40):
        agent = registry.make("agent", "random")
        trajectory = run_episode(env, agent, seed=seed, critic=OracleCritic(), hindsight=OutcomeHindsightCritic())
        if trajectory.success:
            agree += [step.hindsight.label == step.verdict.label for step in trajectory.steps]
    assert len(agree) > 50
    assert sum(agree) / len(agree) > 0.95


def test_the_oracle_at_the_gate_makes_a_random_player_better(env):
    def successes(gate):
        agent = registry.make("agent", "random")
        return sum(run_episode(env, agent, seed=seed, critic=OracleCritic(), gate=gate).success for seed in range(20))

    helped = successes(Gate(mode="regenerate", threshold=0.5, max_interventions=100, alternatives=4))
    assert helped > successes(None) + 5
