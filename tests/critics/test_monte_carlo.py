import pytest
from worlds import BrittleEnv, CorridorEnv

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.critics import MonteCarloCritic, check_critic, safe_judge
from agentgym_critic.critics.attach import attached
from agentgym_critic.errors import ConfigError, CriticError
from agentgym_critic.types import Action, Turn

BOTH = [Action(text="left"), Action(text="right")]


def corridor(cell=3, **settings):
    env = CorridorEnv(**settings)
    env.reset(seed=0)
    env.cell = cell
    return env


def turn_of(env, **changes):
    observation, info = env.current()
    return Turn(task=info["task"], observation=observation, admissible_actions=("left", "right"), **changes)


def judge(env, actions=BOTH, **settings):
    critic = attached(MonteCarloCritic(**settings), env)
    return critic.judge(turn_of(env), actions, [[] for _ in actions])


def test_going_to_the_goal_is_a_gain_and_going_away_a_loss():
    left, right = judge(corridor(), rollouts=150, horizon=15)
    assert left.p < 0.2 < 0.8 < right.p
    assert right.dimensions["value"] > right.dimensions["baseline"] > left.dimensions["value"]
    assert right.dimensions["low"] > 0 > left.dimensions["high"]


def test_a_chance_is_that_of_success_after_the_action():
    (verdict,) = judge(corridor(4), [Action(text="right")], productive="chance", rollouts=8)
    assert (verdict.p, verdict.dimensions["success"], verdict.dimensions["value"]) == (0.9, 1.0, 1.0)
    assert 0.6 < verdict.dimensions["low"] < verdict.dimensions["high"] == 1.0
    assert verdict.critique == "Of 8 rollouts after 'right' 8 succeeded."


def test_where_nothing_succeeds_nothing_is_known():
    verdicts = judge(corridor(0, length=30), rollouts=4, horizon=3)
    assert [verdict.p for verdict in verdicts] == [0.5, 0.5]


def test_a_discounted_return_is_a_value_too():
    (verdict,) = judge(corridor(4), [Action(text="right")], value="return", gamma=0.5, rollouts=4)
    assert verdict.dimensions["value"] == 1.0
    (verdict,) = judge(corridor(4), [Action(text="left")], value="return", gamma=0.5, policy=OracleAgent(), rollouts=2)
    assert verdict.dimensions["value"] == 0.25  # the third step earns 1


@pytest.mark.parametrize(
    ("name", "settings"), [("Sokoban-v0", {}), ("Game2048-v0", {}), ("ALFWorld-v0", {"split": "procedural"})]
)
def test_the_environment_is_left_exactly_as_it_was(name, settings):
    env = make_env(f"agentgym_critic/{name}", max_steps=10, **settings).unwrapped
    env.reset(seed=3)
    env.step(env.current()[1]["admissible_actions"][0])
    before = env.current(), env.render(), env.snapshot()
    verdicts = judge(env, [Action(text=text) for text in before[0][1]["admissible_actions"][:2]], rollouts=2, horizon=4)
    assert all(verdict.scored and verdict.dimensions["env_steps"] > 0 for verdict in verdicts[:1])
    assert (env.current(), env.render()) == before[:2]
    action = before[0][1]["admissible_actions"][-1]
    after = env.step(action)
    env.restore(before[2])
    assert env.step(action) == after


def test_an_environment_that_breaks_down_is_left_as_it_was_and_the_action_unscored():
    env = BrittleEnv()
    env.reset(seed=0)
    env.cell = 2
    _, right = judge(env, productive="chance", rollouts=3)
    assert right.failure == "error"
    assert "the floor gave way" in right.failure_detail
    assert env.current()[1]["state_key"] == "6:2"


def test_a_state_that_is_met_again_takes_no_steps_and_gets_the_same_verdict():
    env = corridor()
    critic = attached(MonteCarloCritic(rollouts=5), env)
    first, again = (critic.judge(turn_of(env), BOTH, [[], []]) for _ in range(2))
    assert [verdict.dimensions["env_steps"] for verdict in again] == [0.0, 0.0]
    assert [verdict.p for verdict in again] == [verdict.p for verdict in first]
    assert first[0].dimensions["env_steps"] > first[1].dimensions["env_steps"]  # the baseline is the first one's


def test_a_verdict_depends_on_nothing_that_was_asked_before():
    env = corridor()
    left, right = judge(env, rollouts=5)
    assert judge(env, BOTH[1:], rollouts=5)[0].p == right.p
    assert judge(env, BOTH[::-1], rollouts=5)[1].p == left.p
    assert judge(env, rollouts=5, seed=1)[0].dimensions["value"] != left.dimensions["value"]


def test_the_budget_is_kept():
    (verdict,) = judge(
        corridor(0, length=30, max_steps=None), BOTH[1:], productive="chance", rollouts=50, horizon=5, most_env_steps=12
    )
    assert (verdict.dimensions["rollouts"], verdict.dimensions["env_steps"]) == (2.0, 10.0)


def test_rollouts_are_no_longer_than_the_steps_left():
    env = corridor(0, length=30)
    critic = attached(MonteCarloCritic(rollouts=2, productive="chance"), env)
    (verdict,) = critic.judge(turn_of(env, steps_left=3), BOTH[1:], [[]])
    assert verdict.dimensions["env_steps"] == 6.0


def test_a_policy_that_knows_the_way_makes_every_action_a_success():
    left, right = judge(corridor(), policy=OracleAgent(), productive="chance", rollouts=2)
    assert left.dimensions["success"] == right.dimensions["success"] == 1.0
    assert left.dimensions["value"] == pytest.approx(0.95**3)


def test_the_agent_that_plays_may_be_the_policy():
    def actions(critic):
        env = CorridorEnv(max_steps=8)
        agent = RandomAgent()
        trajectory = run_episode(env, agent, seed=1, critic=critic and critic(agent))
        return [step.action.text for step in trajectory.steps], trajectory

    alone, _ = actions(None)
    judged, trajectory = actions(lambda agent: MonteCarloCritic(agent, rollouts=3))
    assert alone == judged
    assert all(step.verdict.scored for step in trajectory.steps)


def test_what_cannot_be_tried_is_unscored():
    class Unlisted(CorridorEnv):
        def _info(self):
            return {**super()._info(), "admissible_actions": None}

    env = Unlisted()
    env.reset(seed=0)
    (verdict,) = judge(env, BOTH[1:])
    assert "this environment lists none; give a policy that writes its own" in verdict.failure_detail
    critic = MonteCarloCritic()
    critic.attach(object())
    (verdict,) = critic.judge(Turn(task="t", observation="o"), BOTH[1:], [[]])
    assert "cannot be saved and restored" in verdict.failure_detail


def test_it_must_be_attached():
    turn = Turn(task="t", observation="o")
    with pytest.raises(CriticError, match=r"sees no environment; call attach\(env\) first"):
        MonteCarloCritic().judge(turn, BOTH, [[], []])
    assert safe_judge(MonteCarloCritic(), turn, BOTH, [[], []])[0].failure == "error"


def test_it_keeps_the_contract():
    check_critic(attached(MonteCarloCritic(rollouts=2, horizon=5), corridor()), deterministic=True)


def test_the_version_changes_with_whatever_changes_the_judgement():
    changes = [{}, {"rollouts": 4}, {"horizon": 9}, {"gamma": 0.9}, {"value": "return"}, {"productive": "chance"}]
    changes += [{"seed": 1}, {"most_env_steps": 99}, {"policy": OracleAgent()}]
    assert len({MonteCarloCritic(**change).version for change in changes}) == len(changes)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"value": "gold"}, "value is success or return"),
        ({"rollouts": 0}, "rollouts and horizon are at least 1"),
        ({"gamma": 0.0}, r"gamma in \(0, 1\]"),
        ({"most_env_steps": 10}, "at least one rollout of 50 steps be played; got 10"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, problem):
    with pytest.raises(ConfigError, match=problem):
        MonteCarloCritic(**settings)
