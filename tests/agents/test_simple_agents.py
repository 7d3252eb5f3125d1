"""The agents that need no model: random, scripted, oracle."""

import subprocess
import sys

import pytest
from worlds import BrittleEnv, CorridorEnv

from agentgym_critic import agents, registry
from agentgym_critic.agents import OracleAgent, RandomAgent, ScriptedAgent
from agentgym_critic.errors import AgentError, ConfigError, EnvError
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Turn

ACTIONS = ("a", "b", "c", "d")


def turn(**changes) -> Turn:
    return Turn(**{"task": "t", "observation": "o", "admissible_actions": ACTIONS, **changes})


def picks(agent, seed, count=400):
    agent.reset(seed)
    return [agent.propose(turn()).text for _ in range(count)]


def test_importing_the_package_loads_no_agent():
    code = (
        "import sys, agentgym_critic.agents as a; before = set(sys.modules); a.RandomAgent; "
        "print(sorted(m for m in before if m.startswith('agentgym_critic.agents')))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "['agentgym_critic.agents', 'agentgym_critic.agents.base']"


def test_every_public_name_can_be_imported_and_no_other():
    assert [getattr(agents, name).__name__ for name in agents.__all__] == agents.__all__
    with pytest.raises(AttributeError, match="has no attribute 'NoAgent'"):
        agents.NoAgent  # noqa: B018


@pytest.mark.parametrize("name", ["random", "oracle", "human"])
def test_registered_names_make_the_agents(name):
    assert registry.make("agent", name).id == name


def test_random_is_uniform_and_seeded():
    agent = RandomAgent()
    first = picks(agent, 1)
    assert first == picks(RandomAgent(), 1)
    assert first != picks(agent, 2)
    assert all(70 < first.count(action) < 130 for action in ACTIONS)


def test_random_leaves_rejected_actions_out_while_there_are_others():
    agent = RandomAgent()
    assert {agent.propose(turn(rejected=("a", "b"))).text for _ in range(100)} == {"c", "d"}
    assert agent.propose(turn(admissible_actions=("a",), rejected=("a",))).text == "a"


def test_random_alternatives_are_different():
    proposals = RandomAgent().propose_alternatives(turn(), 3)
    assert len({action.text for action in proposals}) == 3
    assert len(RandomAgent().propose_alternatives(turn(), 9)) == 4


def test_random_needs_listed_actions():
    with pytest.raises(AgentError, match=r"cannot list them \(step 3\); use an agent that writes its own, .* 'lm'"):
        RandomAgent().propose(turn(admissible_actions=None, index=3))
    with pytest.raises(AgentError, match="no action to pick from at step 0"):
        RandomAgent().propose(turn(admissible_actions=()))


def test_a_script_is_played_by_step():
    agent = ScriptedAgent(["go", "stop"])
    assert [agent.propose(turn(index=index)).text for index in (0, 1, 0)] == ["go", "stop", "go"]
    with pytest.raises(AgentError, match="the script ran out at step 2: it has 2 commands"):
        agent.propose(turn(index=2))


def test_a_script_can_repeat():
    agent = ScriptedAgent(["go", "stop"], repeat=True)
    assert [agent.propose(turn(index=index)).text for index in range(5)] == ["go", "stop", "go", "stop", "go"]


def test_a_script_is_read_from_a_file(tmp_path):
    file = tmp_path / "walk.txt"
    file.write_text("go north\n\n  öffne Tür \n", encoding="utf-8")
    assert [ScriptedAgent(path=file).propose(turn(index=index)).text for index in (0, 1)] == ["go north", "öffne Tür"]


def test_the_id_of_a_script_tells_scripts_apart():
    ids = {ScriptedAgent(["a"]).id, ScriptedAgent(["b"]).id, ScriptedAgent(["a"], repeat=True).id}
    assert len(ids) == 3
    assert ScriptedAgent(["\udc80"]).id


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "either a script or a path"),
        ({"script": ["a"], "path": "b"}, "either a script or a path"),
        ({"script": "go"}, "script is a list of commands, got the string 'go'; name a file with path="),
        ({"script": []}, "the script has no commands"),
        ({"path": "/nowhere/at/all"}, "the script /nowhere/at/all cannot be read: .*No such file"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        ScriptedAgent(**settings)


def test_a_script_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigError, match="cannot be read: 'utf-8' codec"):
        ScriptedAgent(path=tmp_path / "x")


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_reaches_the_goal_in_as_many_steps_as_promised(seed):
    env = CorridorEnv(length=9)
    env.reset(seed=seed)
    promised = env.oracle().steps_left
    trajectory = run_episode(env, OracleAgent(), seed=seed)
    assert (trajectory.end, len(trajectory.steps)) == ("success", promised)


def test_the_oracle_says_whether_it_samples():
    assert (OracleAgent().id, OracleAgent(sample=True).id) == ("oracle", "oracle(sample)")


class ManyWays(CorridorEnv):
    def oracle(self):
        return super().oracle().__class__(actions=ACTIONS, steps_left=1)


def test_a_sampling_oracle_draws_by_seed():
    agent = OracleAgent(sample=True)
    agent.attach(ManyWays())
    first = picks(agent, 1, 50)
    assert set(first) == set(ACTIONS)
    assert first == picks(agent, 1, 50) != picks(agent, 2, 50)


class NoWay(CorridorEnv):
    def oracle(self):
        return None


class BrokenOracle(CorridorEnv):
    def oracle(self):
        raise ZeroDivisionError("solver")


@pytest.mark.parametrize(
    ("env", "error", "message"),
    [
        (NoWay(), AgentError, "the oracle of <NoWay> knows no way to success from step 0"),
        (BrokenOracle(), EnvError, "oracle of <BrokenOracle> raised ZeroDivisionError: solver"),
    ],
)
def test_an_oracle_that_cannot_help_names_the_environment(env, error, message):
    agent = OracleAgent()
    agent.attach(env)
    with pytest.raises(error, match=message):
        agent.propose(turn())


def test_an_oracle_without_an_environment_says_what_to_do():
    with pytest.raises(AgentError, match=r"sees no environment; call attach\(env\) first"):
        OracleAgent().propose(turn())
    with pytest.raises(AgentError, match=r"the environment <object object .*> has no oracle\(\) to follow"):
        OracleAgent().attach(object())


def test_agents_of_a_failing_environment_are_not_blamed():
    with pytest.raises(EnvError, match="the floor gave way"):
        run_episode(BrittleEnv(), OracleAgent(), seed=1)
