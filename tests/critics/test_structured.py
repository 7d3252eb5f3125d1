"""The two critics that answer in named parts: `StructuredCritic` and `GradedCritic`."""

import json
from functools import partial

import pytest
from bad_replies import bad_replies, echo, hostile_turn

from agentgym_critic.critics import GradedCritic, StructuredCritic, check_critic
from agentgym_critic.critics.graded import GRADE_P
from agentgym_critic.critics.suggestion import Suggestion, admitted
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Turn

TAKE = [Action(text="take mug 1")]


def scored(score, suggestion=""):
    parts = {"observation": "a mug", "possible_result": "it is held", "critique": "because"}
    return json.dumps({**parts, "score": score, "suggestion": suggestion})


def graded(grade, revision=""):
    parts = {"contribution": "because", "feasibility": "yes", "efficiency": "one step"}
    return json.dumps({**parts, "grade": grade, "revision": revision})


BINARY = partial(StructuredCritic, scale="binary")
KINDS = [
    pytest.param(StructuredCritic, scored(70), scored(101), id="structured"),
    pytest.param(BINARY, scored("correct"), None, id="binary"),
    pytest.param(GradedCritic, graded("Good"), None, id="graded"),
]


def judge(critic, turn, actions=TAKE):
    return critic.judge(turn, actions, [[] for _ in actions])


def test_a_structured_reply_is_a_verdict(turn):
    lm = ReplayLM([scored(70, "Go to  desk 1")])
    (verdict,) = judge(StructuredCritic(lm), turn)
    assert (verdict.p, verdict.suggestion, verdict.failure_detail) == (0.7, "go to desk 1", "")
    assert verdict.critique == "Observation: a mug\nPossible result: it is held\nCritique: because"
    assert "possible:\n| take mug 1\n" in lm.calls[0].prompt


@pytest.mark.parametrize(("score", "p"), [("correct", 0.8), ("incorrect", 0.2)])
def test_a_binary_score_is_worth_what_the_settings_say(turn, score, p):
    (verdict,) = judge(BINARY(ReplayLM([scored(score)]), correct_p=0.8), turn)
    assert verdict.p == pytest.approx(p)


@pytest.mark.parametrize(("grade", "p"), GRADE_P.items())
def test_a_grade_is_worth_what_the_mapping_says(turn, grade, p):
    (verdict,) = judge(GradedCritic(ReplayLM([graded(grade, "look")])), turn)
    assert (verdict.p, verdict.suggestion) == (p, "look")
    assert verdict.critique == f"Contribution: because\nFeasibility: yes\nEfficiency: one step\nGrade: {grade}"


def test_the_worth_of_grades_is_a_setting(turn):
    (verdict,) = judge(GradedCritic(ReplayLM([graded("Poor")]), grade_p={**GRADE_P, "Poor": 0.1}), turn)
    assert verdict.p == 0.1


def test_an_unknown_grade_is_unreadable(turn):
    lm = ReplayLM([graded("Superb"), graded("Good")])
    (verdict,) = judge(GradedCritic(lm), turn)
    assert (verdict.p, verdict.cost.calls) == (0.75, 2)
    assert "Invalid enum value 'Superb'" in lm.calls[1].prompt


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", Suggestion()),
        (" look ", Suggestion("look")),
        ("LOOK", Suggestion("look")),
        ("fly", Suggestion(dropped="the suggestion 'fly' is not possible here: dropped")),
        ("Take mug  1", Suggestion(dropped="the suggestion is the proposed action itself: dropped")),
        ("x" * 2000, Suggestion(dropped="the suggestion has 2000 characters, over 1000: dropped")),
    ],
)
def test_a_suggestion_must_be_possible_or_is_dropped_with_a_reason(turn, text, left):
    assert admitted(text, turn, TAKE[0]) == left
    (verdict,) = judge(StructuredCritic(ReplayLM([scored(50, text)])), turn)
    assert (verdict.p, verdict.suggestion, verdict.failure_detail) == (0.5, *left)


def test_where_actions_cannot_be_listed_any_suggestion_passes():
    assert admitted("fly\n away", Turn(task="t", observation="o"), TAKE[0]) == Suggestion("fly away")


@pytest.mark.parametrize(("kind", "good", "out_of_range"), KINDS)
def test_bad_replies_are_unscored_with_their_class(turn, kind, good, out_of_range):
    for what, replies, failure, calls in bad_replies(good, out_of_range):
        (verdict,) = judge(kind(ReplayLM(replies)), turn)
        assert (verdict.p, verdict.failure, verdict.cost.calls) == (None, failure, calls), what


@pytest.mark.parametrize(("kind", "good", "out_of_range"), KINDS)
def test_an_echo_or_a_copy_of_what_the_world_says_is_no_verdict(turn, kind, good, out_of_range):
    (verdict,) = judge(kind(ReplayLM(echo)), turn)
    assert verdict.failure == "unparsable"
    lm = ReplayLM(lambda messages: good)
    (verdict,) = judge(kind(lm), hostile_turn(good))
    assert (verdict.failure, verdict.cost.calls) == ("unparsable", 2)
    (verdict,) = judge(kind(lm), hostile_turn(""))
    assert verdict.scored


@pytest.mark.parametrize(("kind", "good", "out_of_range"), KINDS)
def test_they_keep_the_contract(kind, good, out_of_range):
    check_critic(kind(ReplayLM(lambda messages: good), recall_k=2), deterministic=True)


@pytest.mark.parametrize("kind", [StructuredCritic, GradedCritic])
def test_experiences_are_shown_and_named(turn, kind, experiences):
    lm = ReplayLM(lambda messages: scored(50) if kind is StructuredCritic else graded("Good"))
    (verdict,) = kind(lm, recall_k=1).judge(turn, TAKE, [experiences])
    assert verdict.recalled == ("productive0", "unproductive0")
    assert "| productive outcome 0" in lm.calls[0].prompt


def test_one_action_failing_leaves_the_others_judged(turn, actions):
    lm = ReplayLM(lambda messages: scored(60) if "| take mug 1\n\nCrit" in messages[0].content else "no")
    good, bad = judge(StructuredCritic(lm), turn, actions)
    assert (good.p, bad.failure) == (0.6, "unparsable")


def test_the_version_changes_with_whatever_changes_the_judgement():
    changes = [{}, {"scale": "binary"}, {"correct_p": 0.8}, {"recall_k": 1}, {"max_tokens": 9}, {"temperature": 1.0}]
    changes += [{"seed": 1}, {"retries": 0}, {"history_steps": 2}, {"show_admissible": False}]
    assert len({StructuredCritic(ReplayLM(), **change).version for change in changes}) == len(changes)
    assert GradedCritic(ReplayLM(), grade_p={**GRADE_P, "Poor": 0.1}).version != GradedCritic(ReplayLM()).version


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda lm: StructuredCritic(lm, scale="stars"), "scale is percent or binary"),
        (lambda lm: StructuredCritic(lm, correct_p=0.5), "correct_p above 0.5"),
        (lambda lm: StructuredCritic(lm, retries=-1), "retries is a number from 0, got -1"),
        (lambda lm: GradedCritic(lm, grade_p={"Good": 1.0}), "grade_p gives each of Excellent, Good, Neutral"),
        (lambda lm: GradedCritic(lm, grade_p={**GRADE_P, "Poor": 0.9}), "none above a better grade's"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, problem):
    with pytest.raises(ConfigError, match=problem):
        make(ReplayLM())
