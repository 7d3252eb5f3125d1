"""Each hindsight critic on the episodes that `check_hindsight_critic` tries."""

import json
import re

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import (
    CounterfactualCritic,
    FirstErrorCritic,
    Relabeller,
    RetrospectiveCritic,
    RubricCritic,
    check_hindsight_critic,
    lm_relabeller,
    rubric_rules,
)
from agentgym_critic.critics.rubrics import ASKED
from agentgym_critic.critics.samples import sample_trajectories
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Verdict, from_json, to_json


def labelling(word):
    """A reviewer that says the same of all steps it is asked about."""

    def reply(messages):
        first, last = re.findall(r"Judge the steps (\d+) to (\d+)", messages[-1].content)[-1]
        return json.dumps({"steps": [{"step": n, "label": word} for n in range(int(first), int(last) + 1)]})

    return ReplayLM(reply)


NOTHING = {rubric.name: {"detected": False, "steps": []} for rubric in ASKED}


@pytest.mark.parametrize(
    "critic",
    [
        RetrospectiveCritic(labelling("productive"), lambda trajectory: "look twice"),
        FirstErrorCritic(labelling("good")),
        RubricCritic(ReplayLM(lambda messages: json.dumps(NOTHING))),
        rubric_rules(),
        "rubric-rules",
        Relabeller(),
        "relabel",
        lm_relabeller(ReplayLM(lambda messages: json.dumps({"achieved": "look", "step": 1}))),
    ],
    ids=lambda critic: critic if isinstance(critic, str) else f"{type(critic).__name__}-{critic.version[:8]}",
)
def test_ours_pass(critic):
    check_hindsight_critic(critic, deterministic=True)


class Tape(gymnasium.Env):
    """A world that shows what a trajectory says, whatever is done; saved by nobody."""

    def __init__(self, trajectory):
        self.trajectory, self.place = trajectory, 0

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return self.trajectory.steps[0].observation, {"admissible_actions": ["look"]}

    def step(self, action):
        step = self.trajectory.steps[self.place]
        self.place += 1
        done = self.place == len(self.trajectory.steps)
        info = {"admissible_actions": ["look"], "success": step.success}
        return step.next_observation, step.reward, done and step.terminated, done and not step.terminated, info


def test_counterfactual_passes_in_worlds_that_show_the_samples():
    played = [trajectory for _, trajectory in sample_trajectories() if trajectory.steps]
    tapes = iter([each for trajectory in played for each in (trajectory,) * 2] + played)
    check_hindsight_critic(CounterfactualCritic(lambda: Tape(next(tapes)), rollouts=2), deterministic=True)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
anything = st.text(st.characters(), max_size=9)  # lone surrogates too: JSON can spell them
labels = st.sampled_from(["productive", "unproductive", "good", "bad", "uncertain", ""])
entries = st.fixed_dictionaries(
    {}, optional={"step": st.integers(0, 3) | plain, "label": labels | plain, "reason": plain}
)
finding = st.fixed_dictionaries(
    {}, optional={"detected": st.booleans() | plain, "steps": st.lists(st.integers(-1, 3)) | plain}
)
answers = (
    st.fixed_dictionaries({"steps": st.lists(entries, max_size=3) | plain})
    | st.fixed_dictionaries(dict.fromkeys(NOTHING, finding | plain))
    | st.fixed_dictionaries({"achieved": anything | plain, "step": st.integers(-1, 3) | plain})
)
replies = st.text() | st.tuples(st.text(max_size=9), answers.map(json.dumps), st.text(max_size=9)).map("".join)


@settings(deadline=None)
@given(replies)
def test_whatever_a_model_says_verdicts_come_out_that_can_be_stored(reply):
    trajectory = sample_trajectories()[1][1]
    lm = ReplayLM(lambda messages: reply)
    told = RetrospectiveCritic(lm, lambda trajectory: "look twice")
    for critic in (told, FirstErrorCritic(lm), RubricCritic(lm), lm_relabeller(lm)):
        verdicts = list(critic.review(trajectory))
        assert len(verdicts) == len(trajectory.steps)
        assert from_json(to_json(verdicts), list[Verdict]) == verdicts
        assert all(verdict.failure in (None, "unparsable", "empty", "wrong_count") for verdict in verdicts)


def test_a_reason_that_is_no_valid_text_can_be_stored():
    trajectory = sample_trajectories()[3][1]
    bad = {"step": 1, "label": "bad", "reason": "\ud800"}
    unread = {**NOTHING, "scope_creep": {"detected": True, "steps": [1], "rationale": "\ud800"}}
    said = {"steps": [{**bad, "label": "unproductive"}]}
    for critic in (
        FirstErrorCritic(ReplayLM([json.dumps({"steps": [bad]})])),
        RubricCritic(ReplayLM([json.dumps(unread)])),
        RetrospectiveCritic(ReplayLM([json.dumps(said)]), lambda trajectory: "look", keep_reasons=True),
    ):
        (verdict,) = critic.review(trajectory)
        assert "\ufffd" in verdict.critique
        assert from_json(to_json(verdict), Verdict) == verdict
