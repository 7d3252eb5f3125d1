"""The story of an episode: who is asked what, in which order, and what is recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gymnasium
import pytest
from worlds import BRITTLE, CORRIDOR

from agentgym_critic.agents import LMRanker, OracleAgent, RandomAgent, ScriptedAgent
from agentgym_critic.critics import Gate, OracleCritic, OutcomeHindsightCritic, RuleCritic, VerbalizedCritic, as_critic
from agentgym_critic.envs import make_env
from agentgym_critic.errors import AgentError, ConfigError, EnvError, LMContextError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.loop import Place, run_episode
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Action, Experience, Turn, Verdict


class Recorder:
    """An agent that plays a list and keeps the turns it was given."""

    id = "recorder"

    def __init__(self, *actions: str) -> None:
        self.actions, self.turns, self.seeds = list(actions), list[Turn](), list[int]()

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def propose(self, turn: Turn) -> Action:
        self.turns.append(turn)
        return Action(text=self.actions.pop(0))


class Dislikes:
    """A critic that dislikes some actions, and keeps what it was shown."""

    id, version, recall_k = "dislikes", "1", 1

    def __init__(self, *disliked: str) -> None:
        self.disliked, self.shown = disliked, list[list[str]]()

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        self.shown += [[each.id for each in recalled] for recalled in experiences]
        return [
            Verdict(p=0.1 if action.text in self.disliked else 0.8, critic=self.id, critique=f"{action.text}?")
            for action in actions
        ]


def corridor(**settings: Any) -> gymnasium.Env[str, str]:
    return make_env(CORRIDOR, **settings)


def test_an_episode_is_recorded_step_by_step() -> None:
    trajectory = run_episode(corridor(), OracleAgent(), seed=1, hindsight=OutcomeHindsightCritic())
    assert trajectory.end == "success"
    assert trajectory.success
    assert trajectory.episode_return == 1.0
    assert trajectory.task == "Reach cell 5."
    assert trajectory.group_id == "corridor-6#1"
    assert [step.index for step in trajectory.steps] == list(range(len(trajectory.steps)))
    for step, following in zip(trajectory.steps, trajectory.steps[1:], strict=False):
        assert step.next_observation == following.observation
        assert step.next_state_key == following.state_key
    assert all(step.hindsight and step.hindsight.p is not None for step in trajectory.steps)
    assert trajectory.steps[-1].terminated


def test_the_agent_sees_the_turn_and_nothing_privileged() -> None:
    agent = Recorder("up", "right", "left")
    run_episode(corridor(length=50, max_steps=3), agent, seed=0, place=Place(agent_seed=99))
    first, second, third = agent.turns
    assert agent.seeds == [99]
    assert (first.index, first.history, first.steps_left) == (0, (), 3)
    assert second.history[0].invalid_reason.startswith("'up' is not possible here. Possible: ")
    assert third.history[1].action == "right"
    assert third.steps_left == 1
    fields = set(Turn.__struct_fields__)
    assert not fields & {"state_key", "success", "oracle", "info"}


def test_an_illegal_action_costs_a_step_and_is_explained() -> None:
    trajectory = run_episode(corridor(max_steps=2), Recorder("jump", "jump"), seed=0)
    assert trajectory.end == "step_limit"
    assert trajectory.truncated
    assert all(step.invalid_action and "'jump' is not possible" in step.invalid_reason for step in trajectory.steps)
    assert trajectory.steps[0].state_key == trajectory.steps[0].next_state_key


def test_a_prompt_that_outgrows_the_model_ends_the_episode_with_its_steps() -> None:
    class Forgetful(Recorder):
        def propose(self, turn: Turn) -> Action:
            if turn.index == 2:
                raise LMContextError("2,049 tokens do not fit into 2,048")
            return super().propose(turn)

    trajectory = run_episode(corridor(), Forgetful("right", "left", "right"), seed=5)
    assert trajectory.end == "context"
    assert len(trajectory.steps) == 2


def test_whose_code_failed_is_said() -> None:
    with pytest.raises(EnvError, match=r"environment .*Brittle.* raised RuntimeError: the floor gave way"):
        run_episode(make_env(BRITTLE), ScriptedAgent(["left", "right"] * 20), seed=0)

    class Broken(Recorder):
        id = "broken"

        def propose(self, turn: Turn) -> Action:
            return "right"  # type: ignore[return-value]

    with pytest.raises(AgentError, match=r"agent broken proposed 'right'; propose\(\) returns an Action"):
        run_episode(corridor(), Broken(), seed=0)


def test_a_critic_that_fails_leaves_unscored_verdicts() -> None:
    def hopeless(turn: Turn, action: Action) -> float:
        raise RuntimeError("no idea")

    trajectory = run_episode(corridor(), OracleAgent(), seed=0, critic=as_critic(hopeless))
    assert trajectory.success
    verdict = trajectory.steps[0].verdict
    assert verdict
    assert (verdict.p, verdict.failure) == (None, "error")
    assert "no idea" in verdict.failure_detail


def test_warn_hands_the_critique_back_once() -> None:
    agent = Recorder("left", "right", "right")
    trajectory = run_episode(
        corridor(length=9, max_steps=2), agent, seed=1, critic=Dislikes("left"), gate=Gate(mode="warn")
    )
    first, second = trajectory.steps
    assert [turn.advice for turn in agent.turns] == ["", "left?", ""]
    assert agent.turns[1].rejected == ("left",)
    assert first.action.text == "right"
    assert first.verdict
    assert first.verdict.p == 0.8
    [intervention] = first.interventions
    assert (intervention.kind, intervention.action.text, intervention.verdict.p) == ("warn", "left", 0.1)
    assert second.interventions == ()


def test_regenerate_runs_the_best_and_keeps_the_first_on_ties() -> None:
    agent = Recorder("left", "left", "right", "left")
    gate = Gate(mode="regenerate", alternatives=3)
    [step] = run_episode(corridor(max_steps=1), agent, seed=1, critic=Dislikes("left"), gate=gate).steps
    assert step.action.text == "right"
    assert step.interventions[0].kind == "regenerate"

    agent = Recorder("left", "up", "down", "left")
    [step] = run_episode(corridor(max_steps=1), agent, seed=1, critic=Dislikes("left", "up", "down"), gate=gate).steps
    assert step.action.text == "left"


def test_the_gate_keeps_its_budget_and_its_first_step() -> None:
    agent = Recorder(*["left", "left", "left", "right"] * 5)
    gate = Gate(mode="warn", min_step=1, max_interventions=2)
    trajectory = run_episode(corridor(length=50, max_steps=6), agent, seed=3, critic=Dislikes("left"), gate=gate)
    counts = [len(step.interventions) for step in trajectory.steps]
    assert counts[0] == 0
    assert sum(counts) == 2


def test_recall_sees_only_earlier_stream_positions() -> None:
    with MemoryBank(":memory:") as bank:
        for position in range(3):
            place = Place(trajectory_id=f"t{position}", stream_position=position, agent_seed=position)
            bank.remember(
                run_episode(corridor(), RandomAgent(), seed=0, hindsight=OutcomeHindsightCritic(), place=place)
            )
        critic = Dislikes()
        run_episode(corridor(), OracleAgent(), seed=0, critic=critic, bank=bank, place=Place(recall_before=0))
        assert all(not ids for ids in critic.shown)
        run_episode(corridor(), OracleAgent(), seed=0, critic=critic, bank=bank)
        assert any(critic.shown)


def test_critics_that_must_see_the_simulator_get_it_in_a_copy() -> None:
    critic = OracleCritic()
    trajectory = run_episode(corridor(), RandomAgent(), seed=4, critic=critic)
    for step in trajectory.steps:
        assert step.verdict
        assert step.verdict.p == float(step.action.text == "right")
    assert vars(critic) == vars(OracleCritic())


class Echo(gymnasium.Env[str, str]):
    """A plain Gymnasium environment that knows none of our keys."""

    observation_space = gymnasium.spaces.Text(100)
    action_space = gymnasium.spaces.Text(100)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        return "say something", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return f"you said {action}", 0.5, action == "bye", False, {}


def test_a_plain_gymnasium_environment_works_too() -> None:
    trajectory = run_episode(Echo(), Recorder("hello", "bye"), seed=0, hindsight=OutcomeHindsightCritic())
    assert trajectory.env_id == "Echo"
    assert trajectory.end == "failure"
    assert trajectory.steps[0].admissible_actions is None
    assert trajectory.episode_return == 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"env": "agentgym_critic/Sokoban-v0"},
            r"Sokoban-v0' is no environment; make one with make_env",
        ),
        ({"agent": RandomAgent}, r"RandomAgent'> is no agent with a method propose\(turn\); make one"),
        ({"agent": "random"}, r"'random' is no agent"),
        ({"gate": Gate(mode="warn")}, r"the gate 'warn' acts on a critic's verdicts; name a critic, or leave out"),
        ({"critic": 3}, r"is no pre-operative critic: it has no method judge"),
        ({"hindsight": "outcom"}, r"There is no hindsight 'outcom'\. Did you mean 'outcome'"),
    ],
)
def test_what_can_only_be_a_mistake_is_refused(changes: dict[str, Any], message: str) -> None:
    players = {"env": corridor(), "agent": OracleAgent(), **changes}
    with pytest.raises(ConfigError, match=message):
        run_episode(**players)


def test_functions_classes_and_names_are_critics_too() -> None:
    for critic in (lambda turn, action: 0.4, "rules", RuleCritic):
        for hindsight in ("outcome", OutcomeHindsightCritic, lambda trajectory: [0.9 for _ in trajectory.steps]):
            trajectory = run_episode(corridor(), OracleAgent(), critic=critic, hindsight=hindsight)
            assert all(step.verdict and step.verdict.scored for step in trajectory.steps)
            assert all(step.hindsight and step.hindsight.scored for step in trajectory.steps)


class Careless(Echo):
    """A plain environment whose next answer is whatever the test says."""

    def __init__(self, observation: Any = "ok", reward: Any = 0.0, info: Any = None) -> None:
        self.answer = (observation, reward, False, False, info if info is not None else {})

    def step(self, action: str) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"observation": None}, r"gave the observation None; observations are strings"),
        ({"observation": b"bytes"}, r"gave the observation b'bytes'; observations are strings"),
        ({"reward": float("nan")}, r"gave the reward nan; a reward is a finite number"),
        ({"reward": "much"}, r"raised ValueError: could not convert string to float"),
        (
            {"info": {"admissible_actions": ["go", 3]}},
            r"admissible actions \['go', 3\]; actions are strings",
        ),
        ({"info": 7}, r"raised AttributeError"),
    ],
)
def test_what_an_environment_may_not_answer_is_said(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(EnvError, match=message):
        run_episode(Careless(**answer), Recorder("hello"))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Action(text=None), r"an Action that cannot be stored: Expected `str`, got `null` - at `\$\.text`"),  # type: ignore[arg-type]
        (Action(text="go", token_ids=("a",)), r"an Action that cannot be stored: Expected `int`, got `str`"),  # type: ignore[arg-type]
        (Action(text="go", cost=None), r"an Action that cannot be stored: Expected `object`, got `null`"),  # type: ignore[arg-type]
    ],
)
def test_an_action_that_cannot_be_stored_is_the_agents_error(action: Action, message: str) -> None:
    class Sloppy(Recorder):
        id = "sloppy"

        def propose(self, turn: Turn) -> Action:
            return action

    with pytest.raises(AgentError, match=f"agent sloppy proposed {message}"):
        run_episode(corridor(), Sloppy())


@pytest.mark.parametrize("liked", ["right", "left", "nothing"])
def test_every_call_is_paid_for_once_whoever_wins(liked: str) -> None:
    lm = ReplayLM(
        scores=lambda messages, candidate: -1.0 if candidate in ("productive", "left") else -1.5,
        replies=lambda messages: json.dumps(
            {"reason": "r", "confidence": 90 if f"| {liked}\n\nHow" in messages[-1].content else 10}
        ),
    )
    gate = Gate(mode="regenerate", threshold=0.95, alternatives=2, max_interventions=9)
    for agent in (LMRanker(lm), LMRanker(lm, temperature=1.0)):
        lm.calls.clear()
        trajectory = run_episode(
            corridor(max_steps=3), agent, seed=1, critic=VerbalizedCritic(lm), gate=gate, hindsight="outcome"
        )
        assert any(step.interventions for step in trajectory.steps)
        assert trajectory.cost.calls == len(lm.calls)
        prompts = sum(lm.count_tokens(call.messages) for call in lm.calls)
        assert trajectory.cost.prompt_tokens == prompts
