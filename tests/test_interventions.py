"""What a gate can do to an episode, through the loop: what runs, what is recorded, what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import CORRIDOR, CorridorEnv

from agentgym_critic.agents import RandomAgent, ScriptedAgent
from agentgym_critic.critics import Gate
from agentgym_critic.critics.gate import GateMode
from agentgym_critic.envs import TextEnv, make_env
from agentgym_critic.errors import ConfigError, LMContextError
from agentgym_critic.evaluation import summarize, true_labels, turns_of
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Action, Cost, Experience, Trajectory, Turn, Verdict, from_json, to_json


class Player:
    """Plays a list, whatever it is told, and keeps what it was told."""

    id = "player"

    def __init__(self, *actions: str) -> None:
        self.actions, self.turns = list(actions), list[Turn]()

    def reset(self, seed: int) -> None:
        self.turns.clear()

    def propose(self, turn: Turn) -> Action:
        self.turns.append(turn)
        action = self.actions.pop(0)
        if action == "too long":
            raise LMContextError("2,049 tokens do not fit into 2,048")
        return Action(text=action, cost=Cost(calls=1))


class Scorer:
    """Gives a list of scores, one a judgement, with a suggestion each."""

    id, version, recall_k = "scorer", "1", 0

    def __init__(self, *scores: float | None, suggestion: str = "", critique: str = "") -> None:
        self.scores, self.suggestion, self.critique = list(scores), suggestion, critique

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        return [self._verdict(self.scores.pop(0) if self.scores else 0.9) for _ in actions]

    def _verdict(self, p: float | None) -> Verdict:
        if p is None:
            return Verdict.unscored(self.id, "timeout", cost=Cost(calls=100))
        return Verdict(p=p, critic=self.id, suggestion=self.suggestion, critique=self.critique, cost=Cost(calls=100))


def play(actions: Sequence[str], scores: Sequence[float | None], *, steps: int = 3, **settings: Any) -> Trajectory:
    """An episode in a corridor that is too long to reach its end."""
    suggestion, critique = settings.pop("suggestion", ""), settings.pop("critique", "")
    return run_episode(
        CorridorEnv(length=50, max_steps=steps),
        Player(*actions),
        seed=1,
        critic=Scorer(*scores, suggestion=suggestion, critique=critique),
        gate=Gate(**settings),
    )


# ------------------------------------------------------------------------------ substitute


def test_a_suggestion_runs_instead_and_is_judged() -> None:
    trajectory = play(["left", "left", "left"], [0.1, 0.7], mode="substitute", suggestion=" right ")
    first, second, _ = trajectory.steps
    assert (first.action, first.verdict.p) == (Action(text="right"), 0.7)  # type: ignore[union-attr]
    [held_back] = first.interventions
    assert (held_back.kind, held_back.action.text, held_back.dropped) == ("substitute", "left", "")
    assert second.interventions == ()
    assert trajectory.cost.calls == 3 + 4 * 100


@pytest.mark.parametrize(
    ("suggestion", "why"),
    [
        ("", "the critic suggests nothing"),
        ("fly", "the suggestion 'fly' is not possible here"),
        ("left", "the suggestion 'left' is the proposal itself"),
    ],
)
def test_a_suggestion_that_cannot_run_is_dropped_and_costs_no_budget(suggestion: str, why: str) -> None:
    settings: dict[str, Any] = {"mode": "substitute", "max_interventions": 1}
    trajectory = play(["left"] * 3, [0.1, 0.2, 0.3], suggestion=suggestion, **settings)
    assert [step.action.text for step in trajectory.steps] == ["left"] * 3
    assert [each.dropped for each in trajectory.held_back] == [why, why]
    assert summarize([trajectory]).interventions == 0


def test_where_actions_are_not_listed_no_suggestion_can_be_checked() -> None:
    class Unlisted(CorridorEnv):
        def _info(self) -> dict[str, Any]:
            return {**super()._info(), "admissible_actions": None}

    gate = Gate(mode="substitute")
    critic = Scorer(0.1, suggestion="right")
    [step] = run_episode(Unlisted(max_steps=1), Player("left"), seed=1, critic=critic, gate=gate).steps
    assert step.action.text == "left"
    [dropped] = step.interventions
    assert dropped.dropped == "the suggestion 'right' cannot be checked: the possible actions are not listed here"


# ------------------------------------------------------------------------------ rollback


def test_a_step_is_taken_back_and_the_agent_told_why() -> None:
    agent = Player("right", "left", "right", "right", "left")
    trajectory = run_episode(
        CorridorEnv(length=50, max_steps=4),
        agent,
        seed=1,
        critic=Scorer(0.9, 0.1, 0.8, critique="No way."),
        gate=Gate(mode="rollback"),
    )
    first, second, third = trajectory.steps
    assert trajectory.end == "step_limit"  # the undone step counts: three that stay, of four
    assert [step.index for step in trajectory.steps] == [0, 1, 2]
    [held_back] = first.interventions
    assert (held_back.kind, held_back.action.text, held_back.verdict.p) == ("rollback", "left", 0.1)
    assert held_back.undone
    assert (held_back.undone.action.text, held_back.undone.state_key) == ("right", first.state_key)
    assert (first.action.text, first.verdict.p) == ("right", 0.8)  # type: ignore[union-attr]
    assert (second.interventions, third.interventions) == ((), ())
    again = agent.turns[2]
    assert (again.index, again.history, again.rejected) == (0, (), ("right",))
    assert again.observation == agent.turns[0].observation
    assert again.advice == "It was tried and taken back because of what came next, the action 'left'. No way."
    assert [turn.steps_left for turn in agent.turns] == [4, 3, 3, 2, 1]
    assert [turn.steps_left for turn in turns_of(trajectory, 4)] == [3, 2, 1]
    assert trajectory.cost.calls == 5 + 5 * 100
    assert true_labels(CorridorEnv(length=50, max_steps=4), trajectory) == [True, True, False]


def test_what_was_tried_before_is_remembered_when_a_step_is_taken_back_again() -> None:
    agent = Player("right", "left", "left", "right", "right", "left")
    trajectory = run_episode(
        CorridorEnv(length=50, max_steps=4),
        agent,
        seed=1,
        critic=Scorer(0.9, 0.1, 0.9, 0.1, 0.9),
        gate=Gate(mode="rollback"),
    )
    assert [turn.rejected for turn in agent.turns] == [(), (), ("right",), (), ("right", "left"), ()]
    assert [step.action.text for step in trajectory.ran] == ["right", "left", "right", "left"]
    assert [each.kind for each in trajectory.held_back] == ["rollback", "rollback"]
    assert summarize([trajectory]).undone == 2


def test_a_step_can_be_taken_back_any_number_of_times() -> None:
    gate = Gate(mode="rollback", max_interventions=3_000)
    critic = Scorer(*[0.9, 0.1] * 1_500)  # what is proposed first passes, what comes after it never does
    env = CorridorEnv(length=50, max_steps=1_500)
    trajectory = run_episode(env, RandomAgent(), seed=1, critic=critic, gate=gate)
    assert (len(trajectory.steps), len(trajectory.ran), len(trajectory.held_back)) == (1, 1_500, 1_499)
    assert from_json(to_json(trajectory), Trajectory) == trajectory
    assert trajectory.cost.calls == 100 * (1_500 + 1_499)


def test_an_episode_that_is_cut_off_after_a_rollback_keeps_what_was_undone() -> None:
    trajectory = play(["right", "left", "too long"], [0.9, 0.1], mode="rollback")
    assert (trajectory.end, trajectory.steps) == ("context", ())
    [held_back] = trajectory.interventions
    assert [step.action.text for step in trajectory.ran] == ["right"]
    assert held_back.undone == trajectory.ran[0]
    assert trajectory.cost.calls == 2 + 200


class Plain(gymnasium.Env[str, str]):
    """An environment that cannot be restored."""

    observation_space = action_space = gymnasium.spaces.Text(100)

    def reset(self, **_: Any) -> Any:
        raise AssertionError("nothing runs")


def test_only_what_can_be_restored_can_be_rolled_back() -> None:
    message = (
        r"the gate 'rollback' takes steps back, which needs a TextEnv that can be restored; <Plain instance> is none; "
        "choose another mode"
    )
    with pytest.raises(ConfigError, match=message):
        run_episode(Plain(), RandomAgent(), critic=Scorer(), gate=Gate(mode="rollback"))


@pytest.mark.parametrize("world", [CORRIDOR, "agentgym_critic/Sokoban-v0"])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_after_a_rollback_the_world_is_as_it_was(world: str, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.1, 0.9, None]), max_size=30))
    budget, seed = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 50))
    env = make_env(world, max_steps=12)
    gate = Gate(mode="rollback", max_interventions=budget)
    trajectory = run_episode(env, RandomAgent(), seed=seed, critic=Scorer(*scores), gate=gate)
    for step in trajectory.steps:
        for each in step.interventions:
            assert each.undone
            assert each.undone.interventions == ()
            assert each.undone.state_key == step.state_key
            assert each.undone.observation == step.observation
            assert each.undone.admissible_actions == step.admissible_actions
    for step, following in zip(trajectory.steps, trajectory.steps[1:], strict=False):
        assert step.next_state_key == following.state_key
    assert len(trajectory.ran) <= 12
    assert trajectory.end == "success" or len(trajectory.ran) == 12
    fresh = make_env(world, max_steps=12)
    replayed = run_episode(
        fresh, ScriptedAgent([step.action.text for step in trajectory.steps] or ["x"], repeat=True), seed=seed
    )
    kept = len(trajectory.steps)
    assert [step.next_state_key for step in replayed.steps[:kept]] == [s.next_state_key for s in trajectory.steps]
    assert isinstance(env.unwrapped, TextEnv)


# ------------------------------------------------------------------------------ stop


def test_an_episode_is_stopped_and_what_stopped_it_is_kept() -> None:
    trajectory = play(["right", "left"], [0.9, 0.1], mode="stop")
    assert (trajectory.end, trajectory.success, trajectory.truncated) == ("stopped", False, True)
    assert [step.action.text for step in trajectory.steps] == ["right"]
    [held_back] = trajectory.interventions
    assert (held_back.kind, held_back.action.text, held_back.verdict.p) == ("stop", "left", 0.1)
    assert trajectory.cost.calls == 2 + 200
    summary = summarize([trajectory])
    assert (summary.interventions, summary.ended, summary.success) == (1, {"stopped": 1}, 0.0)


def test_an_episode_stopped_at_once_has_no_steps_and_can_be_reviewed() -> None:
    gate = Gate(mode="stop")
    trajectory = run_episode(CorridorEnv(), Player("left"), critic=Scorer(0.1), gate=gate, hindsight="outcome")
    assert (trajectory.end, trajectory.steps, len(trajectory.interventions)) == ("stopped", (), 1)


# ------------------------------------------------------------------------------ limits


def test_the_gate_pauses_until_it_is_armed_again() -> None:
    trajectory = play(["left"] * 9, [0.1, 0.4, 0.1, None, 0.6, 0.1], steps=6, mode="warn", rearm=0.6)
    assert [len(step.interventions) for step in trajectory.steps] == [1, 0, 0, 0, 1, 0]
    always = play(["left"] * 9, [0.1, 0.4, 0.1, 0.6, 0.1], steps=4, mode="warn")
    assert [len(step.interventions) for step in always.steps] == [1, 1, 1, 0]


def test_the_proposal_after_an_intervention_can_arm_the_gate_again() -> None:
    trajectory = play(["left"] * 9, [0.1, 0.8, 0.1, 0.5, 0.1], steps=3, mode="warn", rearm=0.6)
    assert [len(step.interventions) for step in trajectory.steps] == [1, 1, 0]


@pytest.mark.parametrize("mode", ["warn", "regenerate", "substitute", "rollback", "stop"])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_the_budget_is_never_exceeded(mode: GateMode, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), max_size=40))
    budget, min_step = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 3))
    suggestion = data.draw(st.sampled_from(["right", "fly", ""]))
    trajectory = run_episode(
        CorridorEnv(length=50, max_steps=10),
        RandomAgent(),
        seed=data.draw(st.integers(0, 20)),
        critic=Scorer(*scores, suggestion=suggestion),
        gate=Gate(mode=mode, threshold=0.6, min_step=min_step, max_interventions=budget),
    )
    applied = [each for each in trajectory.held_back if not each.dropped]
    assert len(applied) <= budget
    assert all(each.kind == mode and (each.verdict.p or 0.0) < 0.6 for each in trajectory.held_back)
    first = min_step - (mode == "rollback")  # the step before the one that was judged
    acted = [step.index for step in trajectory.steps if step.interventions]
    assert all(index >= first for index in acted)
    assert len(trajectory.ran) <= 10
    assert all(step.action.text in (step.admissible_actions or ()) for step in trajectory.ran)
