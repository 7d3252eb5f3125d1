"""Best-of-n, beam and tree search: they choose well, leave the world as it was, keep to a budget, can be repeated."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial

import pytest
from worlds import CorridorEnv

from agentgym_critic import make, make_env, run_episode
from agentgym_critic.agents import BeamSearch, BestOfN, OracleAgent, RandomAgent, TreeSearch
from agentgym_critic.critics import KernelCritic, MonteCarloCritic, OracleCritic, RuleCritic
from agentgym_critic.critics.gate import Gate
from agentgym_critic.errors import AgentError, ConfigError, EnvError
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Action, Cost, Turn, Verdict

SEARCHES = {
    "best-of-n": BestOfN,
    "beam": partial(BeamSearch, width=2, depth=3),
    "fused": partial(TreeSearch, horizon=5, simulations=8),
    "prior": partial(TreeSearch, critic_as="prior", horizon=5, simulations=8),
    "value": partial(TreeSearch, critic_as="value", by="p", simulations=8),
}
each_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


class Likes:
    """Gives each action the p it was told, 0.5 to others, and says what it was asked."""

    id, version, recall_k = "likes", "1", 0

    def __init__(self, cost=None, **p):
        self.p, self.cost, self.asked = p, cost or Cost(), []

    def judge(self, turn, actions, experiences):
        self.asked.append((turn.observation, [action.text for action in actions]))
        return [self._verdict(action.text) for action in actions]

    def _verdict(self, text):
        p = self.p.get(text, 0.5)
        if p is None:
            return Verdict.unscored(self.id, "error", "no idea", cost=self.cost)
        return Verdict(p=p, critic=self.id, cost=self.cost)


def started(agent, env, seed=0):
    env.reset(seed=seed)
    agent.attach(env)
    agent.reset(seed)
    return agent


def turn_of(env, **changes):
    observation, info = env.current()
    listed = info["admissible_actions"]
    possible = None if listed is None else tuple(listed)
    return Turn(task=info["task"], observation=observation, admissible_actions=possible, **changes)


def put(env, cell):
    env.cell, env._observation = cell, f"You are in cell {cell}."


WORLDS = {
    "Sokoban-v0": {},
    "Game2048-v0": {},
    "ALFWorld-v0": {"split": "procedural"},
    "WebShop-v0": {"offered_searches": True},
    "Taxi-v0": {},
    "FrozenLake-v0": {},
    "TicTacToe-v0": {},
    "Points24-v0": {},
    "Tools-v0": {"listed": True},
    "Battleship-v0": {},
    "Negotiation-v0": {},
    "Blackjack-v0": {},
}


@pytest.mark.parametrize("world", WORLDS)
@each_search
def test_the_real_environment_is_left_exactly_as_it_was(search, world):
    env, twin = (make_env(f"agentgym_critic/{world}", **WORLDS[world]).unwrapped for _ in range(2))
    critic = MonteCarloCritic(rollouts=1, horizon=2, productive="chance")
    agent = started(search(critic, candidates=3, env_steps=60), env, seed=3)
    twin.reset(seed=3)
    for _ in range(3):
        before, shown = env.current(), env.render()
        action = agent.propose(turn_of(env))
        assert (env.current(), env.render()) == (before, shown)
        after = env.step(action.text)
        assert after == twin.step(action.text)  # what no state key tells, chance above all, was left alone, too
        if after[2] or after[3]:
            break
    assert agent.spent.env_steps > 0


@each_search
def test_a_world_that_breaks_down_within_a_search_is_left_as_it_was(search):
    class Brittle(CorridorEnv):
        def _act(self, action):
            if self.cell == 3:
                raise RuntimeError("the floor gave way")
            return super()._act(action)

    env = Brittle(length=9)
    agent = started(search(MonteCarloCritic(RightAgent(), rollouts=1, horizon=6), RightAgent()), env)
    put(env, 2)
    with suppress(EnvError):
        agent.propose(turn_of(env))
    assert agent.spent.env_steps > 0
    assert (env.cell, env.current()[1]["state_key"]) == (2, "9:2")


class RightAgent:
    """Only ever goes right."""

    id = "right"

    def reset(self, seed):
        pass

    def propose(self, turn):
        return Action(text="right")


@each_search
def test_the_same_seed_gives_the_same_episode_and_costs(search):
    def episode(seed):
        agent = search(MonteCarloCritic(rollouts=2, horizon=4), env_steps=200)
        steps = run_episode(make_env("agentgym_critic/Sokoban-v0", max_steps=8), agent, seed=seed).steps
        return [(step.action.text, step.action.cost.env_steps) for step in steps]

    assert episode(1) == episode(1)
    random.seed(5)
    first = episode(2)
    random.seed(6)
    assert episode(2) == first
    assert any(cost for _, cost in first)


@each_search
@pytest.mark.parametrize("budget", [0, 1, 7, 40])
def test_no_step_goes_over_the_budget(search, budget):
    class Counting(CorridorEnv):
        steps = 0

        def step(self, action):
            Counting.steps += 1
            return super().step(action)

    env = Counting(length=30, max_steps=12)
    agent = search(MonteCarloCritic(rollouts=3, horizon=4), env_steps=budget)
    trajectory = run_episode(env, agent, seed=0)
    tried = Counting.steps - len(trajectory.steps)
    assert tried == trajectory.cost.env_steps <= budget


def test_a_turn_spends_its_share_of_what_is_left():
    env = CorridorEnv(length=99, max_steps=None)
    agent = started(TreeSearch(RuleCritic(), env_steps=100, share=0.5, horizon=3), env)
    spent = []
    for _ in range(3):
        action = agent.propose(turn_of(env))
        spent.append(action.cost.env_steps)
        env.step(action.text)
    assert spent == [50, 25, 13]


@each_search
def test_tokens_are_limited_too(search):
    env = CorridorEnv(length=30, max_steps=6)
    critic = Likes(Cost(calls=1, prompt_tokens=10, completion_tokens=1), left=0.9)
    trajectory = run_episode(env, search(critic, tokens=50, share=1.0), seed=0)
    assert 50 <= trajectory.cost.tokens < 50 + 22 * 2  # the last call may go over
    assert trajectory.cost.calls * 11 == trajectory.cost.tokens
    asked = len(critic.asked)
    assert asked <= 5
    assert len(trajectory.steps) == 6  # the policy plays on alone


@each_search
def test_the_critic_is_followed(search):
    env = CorridorEnv(length=30)
    for best, other in (("left", "right"), ("right", "left")):
        agent = started(search(Likes(**{best: 0.9, other: 0.1}), env_steps=60), env)
        put(env, 9)
        assert agent.propose(turn_of(env)).text == best


@pytest.mark.parametrize("name", ["beam", "fused", "prior", "value"])
def test_a_way_to_success_is_seen_and_followed_without_further_steps(name):
    env = CorridorEnv(length=7)
    agent = started(SEARCHES[name](Likes(right=0.9, left=0.1), env_steps=400), env)
    put(env, 4)
    trail = []
    while not trail or not env.current()[1]["success"]:
        action = agent.propose(turn_of(env))
        trail.append((action.text, action.cost.env_steps > 0))
        env.step(action.text)
    assert trail == [("right", True), ("right", False)]


def test_a_plan_is_dropped_once_the_episode_leaves_it():
    env = CorridorEnv(length=9)
    agent = started(SEARCHES["beam"](Likes(right=0.9, left=0.1)), env)
    put(env, 6)
    assert agent.propose(turn_of(env)).text == "right"
    put(env, 2)
    assert agent.propose(turn_of(env)).cost.env_steps > 0


@each_search
def test_what_the_gate_hands_back_is_not_proposed_again(search):
    env = CorridorEnv(length=30)
    agent = started(search(Likes(right=0.9, left=0.1)), env)
    put(env, 9)
    assert agent.propose(turn_of(env)).text == "right"
    assert agent.propose(turn_of(env, rejected=("right",))).text == "left"


def test_a_gate_can_warn_a_search():
    env = CorridorEnv(length=30, max_steps=4)
    trajectory = run_episode(
        env, BestOfN(Likes(right=0.9)), seed=0, critic=Likes(right=0.1, left=0.8), gate=Gate(mode="warn", threshold=0.4)
    )
    assert any(step.interventions for step in trajectory.steps)


@each_search
def test_enough_ends_the_search_of_a_turn(search):
    env = CorridorEnv(length=30)
    critic = Likes(right=0.8, left=0.1)
    spent = {}
    for enough in (0.8, 0.81):
        agent = started(search(critic, enough=enough), env)
        put(env, 9)
        assert agent.propose(turn_of(env)).text == "right"
        spent[enough] = agent.spent.env_steps
    assert spent[0.8] == 0
    assert search is BestOfN or spent[0.81] > 0


def test_enough_stops_judging_proposals():
    class Both(RightAgent):
        def propose_alternatives(self, turn, n):
            return [Action(text=text) for text in ("right", "left", "wait")]

    env = CorridorEnv(length=30)
    critic = Likes(right=0.1, left=0.8, wait=0.9)
    agent = started(BestOfN(critic, Both(), enough=0.7), env)
    assert agent.propose(turn_of(env)).text == "left"
    assert [actions for _, actions in critic.asked] == [["right"], ["left"]]


def test_actions_below_least_are_not_followed():
    env = CorridorEnv(length=30)
    critic = Likes(right=0.9, left=0.1)
    agent = started(BeamSearch(critic, least=0.5, width=9, depth=3, env_steps=60, share=1.0), env)
    put(env, 9)
    agent.propose(turn_of(env))
    assert {observation for observation, _ in critic.asked} == {f"You are in cell {cell}." for cell in (9, 10, 11)}
    agent = started(BestOfN(Likes(right=0.2, left=0.1), least=0.5), env)
    put(env, 9)
    assert agent.propose(turn_of(env)).text == "right"  # all have less


@each_search
def test_what_is_unscored_is_not_taken_for_bad(search):
    env = CorridorEnv(length=30)
    agent = started(search(Likes(right=None, left=None)), env)
    put(env, 9)
    assert agent.propose(turn_of(env)).text in ("left", "right")
    agent = started(BestOfN(Likes(right=0.2, left=None)), env)
    put(env, 9)
    assert agent.propose(turn_of(env)).text in ("left", "right")


@each_search
def test_a_critic_may_recall(search):
    env = CorridorEnv(length=30, max_steps=15)
    with MemoryBank(":memory:") as bank:
        for seed in range(4):
            bank.remember(run_episode(CorridorEnv(), RandomAgent(), seed=seed, hindsight="outcome"))
        critic = KernelCritic(4)
        seen = []
        critic.judge = lambda turn, actions, recalled: (
            seen.extend(recalled) or KernelCritic.judge(critic, turn, actions, recalled)
        )
        agent = started(search(critic, bank=bank), env)
        agent.propose(turn_of(env))
    assert any(seen)


@each_search
def test_an_oracle_leads_to_the_goal(search):
    env = make_env("agentgym_critic/Sokoban-v0")
    assert all(run_episode(env, search(OracleCritic()), seed=seed).success for seed in range(4))


def test_search_finds_what_its_policy_does_not():
    env = make_env("agentgym_critic/Sokoban-v0", max_steps=30)
    alone = sum(run_episode(env, RandomAgent(), seed=seed).success for seed in range(20))
    led = sum(run_episode(env, TreeSearch(RuleCritic(), env_steps=2_000), seed=seed).success for seed in range(20))
    assert led > alone + 8


def test_a_policy_that_sees_the_simulator_is_shown_the_one_of_the_search():
    env = CorridorEnv(length=9, max_steps=20)
    trajectory = run_episode(env, TreeSearch(RuleCritic(), OracleAgent(), env_steps=50), seed=1)
    assert trajectory.success


def test_by_name_with_settings():
    settings = {"critic": "rules", "critic_settings": {"repeated": 0.2}, "policy": "random", "env_steps": 10}
    agents = [make("agent", name, **settings) for name in ("best-of-n", "beam", "mcts")]
    assert [agent.id.partition("(")[0] for agent in agents] == ["best-of-n", "beam", "mcts"]
    assert len({agent.id for agent in agents}) == 3


def test_the_id_changes_with_whatever_changes_what_it_does():
    changes = [{}, {"c": 0.9}, {"alpha": 0.1}, {"gamma": 0.9}, {"horizon": 3}, {"simulations": 3}, {"by": "p"}]
    changes += [{"critic_as": "value"}, {"candidates": 2}, {"env_steps": 3}, {"tokens": 3}, {"share": 0.1}]
    changes += [{"enough": 0.9}, {"least": 0.1}, {"policy": OracleAgent()}]
    assert len({TreeSearch(RuleCritic(), **change).id for change in changes}) == len(changes)


@pytest.mark.parametrize(
    ("make_it", "problem"),
    [
        (lambda: BestOfN(RuleCritic(), candidates=0), "candidates is at least 1, and enough and least in"),
        (lambda: BestOfN(RuleCritic(), enough=1.5), "enough and least in .0, 1.; got 4, 1.5 and 0.0"),
        (lambda: BestOfN(RuleCritic(), env_steps=-1), "env_steps and tokens are at least 0, .* got -1, None and 0.25"),
        (lambda: BestOfN(RuleCritic(), share=0.0), r"share is in \(0, 1\]"),
        (lambda: BeamSearch(RuleCritic(), width=0), "width and depth are at least 1; got 0 and 8"),
        (lambda: TreeSearch(RuleCritic(), critic_as="truth"), "critic_as is fused, value or prior, .* got 'truth'"),
        (lambda: TreeSearch(RuleCritic(), alpha=2.0), r"alpha is in \[0, 1\]"),
        (lambda: BestOfN(RuleCritic(), RandomAgent(), policy_settings={"x": 1}), "is an agent, not a name"),
        (lambda: BestOfN("no-such-critic"), "no-such-critic"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(make_it, problem):
    with pytest.raises(ConfigError, match=problem):
        make_it()


@each_search
def test_it_needs_an_environment_that_can_be_restored(search):
    agent = search(RuleCritic())
    with pytest.raises(AgentError, match=r"sees no environment; call attach\(env\) first"):
        agent.propose(Turn(task="t", observation="o"))
    with pytest.raises(AgentError, match=r"tries actions and takes them back, and .* cannot be restored"):
        agent.attach(object())
