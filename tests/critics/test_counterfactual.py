from itertools import pairwise

import gymnasium
import msgspec
import pytest
from worlds import CorridorEnv

from agentgym_critic import make_env, registry, run_episode
from agentgym_critic.agents import RandomAgent, ScriptedAgent
from agentgym_critic.critics import CounterfactualCritic, as_hindsight_critic
from agentgym_critic.critics.attach import attached
from agentgym_critic.errors import ConfigError, LMTimeoutError
from agentgym_critic.types import Action, Cost

ALL = {"chance_before", "chance_after", "change_low", "change_high", "rollouts"}


def played(actions, **settings):
    """The corridor of 6 cells from cell 3 (seed 4), or as far as these actions lead."""
    trajectory = run_episode(CorridorEnv(**settings), ScriptedAgent(actions), seed=4)
    assert trajectory.steps[0].observation == "You are in cell 3."
    return trajectory


def review(trajectory, make=CorridorEnv, policy=None, **settings):
    return CounterfactualCritic(make, policy, **settings).review(trajectory)


class Straight:
    """Walks to the goal."""

    id = "straight"

    def reset(self, seed):
        self.seed = seed

    def propose(self, turn):
        return Action(text="right", cost=Cost(calls=1))


def test_towards_the_goal_the_chance_rises_and_away_it_falls():
    trajectory = played(["left", "left", "right", "right", "right", "right"], max_steps=12)
    verdicts = review(trajectory, lambda: CorridorEnv(max_steps=12), rollouts=60)
    assert trajectory.success
    assert [verdict.label for verdict in verdicts] == ["unproductive"] * 2 + ["productive"] * 4
    for before, after in pairwise(verdicts):
        assert before.dimensions["chance_after"] == after.dimensions["chance_before"]
    assert set(verdicts[1].dimensions) == ALL
    assert verdicts[-1].dimensions["chance_after"] == 1.0
    assert all(verdict.dimensions["rollouts"] == 60 for verdict in verdicts)


def test_the_estimate_is_that_of_the_rollout_policy():
    """From cell 3 two moves of uniform choice reach cell 5 with probability 1/4, from cell 4 one with 1/2."""
    verdict = review(played(["right", "right"]), rollouts=400, horizon=2)[0]
    assert verdict.dimensions["chance_before"] == pytest.approx(1 / 4, abs=0.08)
    assert verdict.dimensions["chance_after"] == pytest.approx(1 / 2, abs=0.1)
    assert verdict.dimensions["change_low"] < 1 / 4 < verdict.dimensions["change_high"]
    assert verdict.p > 0.99


def test_a_sure_policy_sees_no_change_until_a_mistake_costs_the_task():
    trajectory = played(["right", "left", "right", "right"], max_steps=4)
    verdicts = review(trajectory, lambda: CorridorEnv(max_steps=4), Straight(), rollouts=8)
    assert [verdict.p for verdict in verdicts] == [0.5] * 4
    trajectory = played(["left", "left", "right", "right"], max_steps=4)
    verdicts = review(trajectory, lambda: CorridorEnv(max_steps=4), Straight(), rollouts=8)
    chances = [(v.dimensions["chance_before"], v.dimensions["chance_after"]) for v in verdicts]
    assert chances == [(1, 1), (1, 0), (0, 0), (0, 0)]
    assert [verdict.label for verdict in verdicts] == [None, "unproductive", None, None]
    assert verdicts[1].critique == "8 of 8 rollouts succeeded before the step, and 0 of 8 after it."


def test_a_step_that_changes_nothing_is_undecided():
    trajectory = played(["jump", "right", "right"], max_steps=None)
    verdict = review(trajectory, lambda: CorridorEnv(max_steps=None), rollouts=20, horizon=100)[0]
    assert (verdict.p, verdict.label) == (0.5, None)
    assert verdict.dimensions["chance_before"] > 0


def test_the_same_seed_gives_the_same_verdicts_and_another_others():
    trajectory = played(["right", "left", "right", "right"])
    first, again, other = (
        [verdict.dimensions for verdict in review(trajectory, rollouts=9, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_cost_is_that_of_the_policy_and_stands_on_the_first_step():
    first, *rest = review(played(["right", "right"]), policy=Straight(), rollouts=3)
    assert first.cost.calls == 3 * (2 + 1)
    assert first.dimensions["env_steps"] == 2 + 3 * (2 + 1)
    assert [verdict.cost for verdict in rest] == [Cost()]
    assert "env_steps" not in rest[0].dimensions


@pytest.mark.parametrize("budget", [2 + 3, 2 + 3 + 2, 2 + 2 * 3 - 1])
def test_only_whole_rounds_count(budget):
    verdicts = review(played(["right", "right"]), policy=Straight(), rollouts=9, budget_steps=budget)
    assert {verdict.dimensions["rollouts"] for verdict in verdicts} == {1}
    assert verdicts[0].dimensions["env_steps"] <= budget


def test_a_budget_for_less_than_a_round_leaves_it_unscored():
    verdicts = review(played(["right", "right"]), policy=Straight(), budget_steps=4)
    assert {(verdict.p, verdict.failure) for verdict in verdicts} == {(None, "error")}
    assert "4 environment steps are not enough for one rollout from each of 3 moments; raise budget_steps" in (
        verdicts[0].failure_detail
    )
    assert verdicts[0].cost.calls == 2


class Unsaved(gymnasium.Env):
    """The corridor as an environment that is no TextEnv: no snapshot, no keys."""

    def __init__(self):
        self.inner, self.steps = CorridorEnv(), 0

    def reset(self, *, seed=None, options=None):
        observation, info = self.inner.reset(seed=seed)
        return observation, {key: info[key] for key in ("admissible_actions", "task", "task_id", "success")}

    def step(self, action):
        self.steps += 1
        observation, reward, ended, cut, info = self.inner.step(action)
        return observation, reward, ended, cut, {key: info[key] for key in ("admissible_actions", "success")}


def test_a_world_that_cannot_be_saved_is_played_from_its_start():
    trajectory = run_episode(Unsaved(), ScriptedAgent(["left", "right", "right", "right"]), seed=4)
    assert trajectory.steps[0].state_key == ""
    env = Unsaved()
    slow = review(trajectory, lambda: env, rollouts=7)
    quick = review(played(["left", "right", "right", "right"]), rollouts=7)
    assert [verdict.p for verdict in slow] == [verdict.p for verdict in quick]
    assert slow[0].dimensions["env_steps"] == env.steps > quick[0].dimensions["env_steps"]


def test_another_world_is_refused():
    verdicts = review(played(["right", "right"]), lambda: CorridorEnv(length=9))
    assert "trajectory episode cannot be played again: after 0 steps the state is another" in verdicts[0].failure_detail
    other = run_episode(Unsaved(), ScriptedAgent(["right", "right"]), seed=4)
    verdicts = review(other, lambda: CorridorEnv(length=9))
    assert "after 0 steps what is seen is another: 'You are in cell" in verdicts[0].failure_detail


class Failing(Straight):
    def __init__(self, error):
        self.error = error

    def propose(self, turn):
        raise self.error


@pytest.mark.parametrize(
    ("error", "failure", "detail"),
    [
        (LMTimeoutError("slow"), "timeout", "LMTimeoutError: slow"),
        (KeyError("x"), "error", "AgentError: policy straight raised KeyError: 'x'"),
    ],
)
def test_a_policy_that_fails_leaves_it_unscored(error, failure, detail):
    verdicts = review(played(["right", "right"]), policy=Failing(error))
    assert [(v.p, v.failure, v.failure_detail) for v in verdicts] == [(None, failure, detail)] * 2


def test_actions_that_cannot_be_listed_need_a_policy():
    class Unlisted(CorridorEnv):
        def _admissible(self):
            return None

    trajectory = run_episode(Unlisted(), ScriptedAgent(["right", "right"]), seed=4)
    verdicts = review(trajectory, Unlisted)
    assert "the admissible actions cannot be listed, so that none can be picked; give the critic a policy" in (
        verdicts[0].failure_detail
    )
    assert review(trajectory, Unlisted, Straight())[0].scored


def test_the_world_that_is_attached_or_that_of_the_id():
    env = make_env("agentgym_critic/Sokoban-v0")
    trajectory = run_episode(env, registry.make("agent", "oracle"), seed=0)
    critic = as_hindsight_critic("counterfactual", rollouts=4)
    by_id = critic.review(trajectory)
    seen = attached(critic, env.unwrapped).review(trajectory)
    assert [verdict.p for verdict in by_id] == [verdict.p for verdict in seen]
    assert by_id[-1].dimensions["chance_after"] == 1.0


def test_any_agent_is_a_policy_and_stays_as_it_was():
    assert review(played(["right", "right"]), policy=RandomAgent(), rollouts=2)[0].scored
    policy = Straight()
    review(played(["right", "right"]), policy=policy, rollouts=2)
    assert vars(policy) == {}


def test_an_episode_cut_off_by_the_agents_model():
    trajectory = played(["right", "left", "right", "right"])
    cut = msgspec.structs.replace(trajectory, steps=trajectory.steps[:2], end="context")
    assert [verdict.label for verdict in review(cut, rollouts=60, horizon=5)] == ["productive", "unproductive"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rollouts": 0}, "rollouts is a number from 1, got 0"),
        ({"horizon": 0}, "horizon is a number from 1, got 0"),
        ({"budget_steps": -1}, "budget_steps is a number from 1, got -1"),
        ({"seed": -1}, "seed is a number from 0, got -1"),
        ({"by": "luck"}, "by is chance or pace, got 'luck'"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        CounterfactualCritic(CorridorEnv, **settings)


def test_the_version_tells_settings_and_policy():
    settings = [
        {},
        {"rollouts": 3},
        {"horizon": None},
        {"budget_steps": 9},
        {"seed": 1},
        {"policy": Straight()},
        {"by": "pace"},
    ]
    assert len({CounterfactualCritic(CorridorEnv, **one).version for one in settings}) == len(settings)


def test_by_pace_a_sure_policy_tells_steps_apart_and_a_lost_one_is_unproductive():
    trajectory = played(["right", "left", "jump", "right", "right"])
    by_chance = review(trajectory, policy=Straight(), rollouts=4)
    nearer, farther, refused, again, _ = review(trajectory, policy=Straight(), rollouts=4, by="pace")
    assert [verdict.p for verdict in by_chance[:3]] == [0.5] * 3
    assert nearer.p > 0.8
    assert again.p > 0.8
    assert farther.p < refused.p < 0.2
