"""How good a policy is, and which of two is better."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import CORRIDOR

from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.envs import make_env
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import compare_policies, score_policy, wilson
from agentgym_critic.evaluation.policies import task_type
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Trajectory


def episodes(agent: object, count: int = 12) -> list[Trajectory]:
    env = make_env(CORRIDOR, length=6, max_steps=8)
    return [run_episode(env, agent, seed=seed) for seed in range(count)]  # type: ignore[arg-type]


def test_wilsons_interval_of_a_known_share() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 0.2553 to 0.3662.
    share, low, high = wilson(81, 263)
    assert share == pytest.approx(81 / 263)
    assert low == pytest.approx(0.2553, abs=5e-5)
    assert high == pytest.approx(0.3662, abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_share(counts: tuple[int, int]) -> None:
    share, low, high = wilson(*counts)
    assert low is not None
    assert high is not None
    assert share is not None
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1


@pytest.mark.parametrize("counts", [(0, 0), (2, 1), (-1, 3)])
def test_shares_that_are_none_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ConfigError, match="successes of at least one trial"):
        wilson(*counts)


def test_a_policy_in_numbers() -> None:
    played = episodes(OracleAgent())
    score = score_policy(played)
    assert (score.episodes, score.successes, score.episode_return, score.invalid_actions) == (12, 12, 1.0, 0)
    assert score.steps == pytest.approx(sum(len(each.steps) for each in played) / 12)
    assert score.success == wilson(12, 12)
    assert score.by_type == {}
    with pytest.raises(ConfigError, match="at least one trial"):
        score_policy([])


def test_types_of_task_have_numbers_of_their_own() -> None:
    kinds = ("heat_it-Mug-1/trial_1", "cool_it-Mug-1/trial_2")
    played = [msgspec.structs.replace(each, task_id=kinds[n % 2]) for n, each in enumerate(episodes(OracleAgent(), 5))]
    score = score_policy(played)
    assert {name: own.episodes for name, own in score.by_type.items()} == {"heat_it": 3, "cool_it": 2}
    assert score.episodes == 5


@pytest.mark.parametrize("task_id", ["corridor-6", "", "Sokoban 17", "a_b"])
def test_ids_without_a_type(task_id: str) -> None:
    assert task_type(task_id) == ""


def test_two_policies_in_pairs() -> None:
    good, chance = episodes(OracleAgent()), episodes(RandomAgent())
    lost = sum(not each.success for each in chance)
    assert lost > 0
    comparison = compare_policies(chance, good[::-1])
    assert (comparison.pairs, comparison.only_first, comparison.only_second) == (12, 0, lost)
    assert comparison.difference.estimate == pytest.approx(lost / 12)
    assert compare_policies(good, good).p_value == 1.0


def test_policies_that_played_other_tasks_are_not_compared() -> None:
    played = episodes(OracleAgent(), 4)
    with pytest.raises(ConfigError, match="1 are the first's alone, 0 the second's, 3 shared"):
        compare_policies(played, played[:3])
    with pytest.raises(ConfigError, match="one episode for each task and seed; there are several of one"):
        compare_policies([*played, played[0]], played)
