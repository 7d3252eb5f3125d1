import json

import msgspec
import pytest

from agentgym_critic.critics import RubricCritic, rubric_rules
from agentgym_critic.critics.rubrics import ASKED, by_rules, findings_type
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Cost

RULED = {
    "loop_behavior",
    "improper_tool_use_or_setup",
    "insufficient_debugging",
    "incomplete_implementation",
    "infrastructure_agent_caused_issue",
}
NAMES = [rubric.name for rubric in ASKED]


def shown(trajectory, name):
    return [features[name] for features in by_rules(trajectory)]


def findings(**found):
    """A reader's answer: by kind the numbers of the steps that show it."""
    answer = {
        name: {"detected": bool(found.get(name)), "steps": found.get(name, []), "rationale": f"why {name}"}
        for name in NAMES
    }
    return json.dumps(answer)


def test_the_third_time_the_same_is_done_in_the_same_place_is_a_loop(walk):
    assert shown(walk("ababab"), "loop_behavior") == [0, 0, 0, 0, 1]
    assert shown(walk("acbcadbd", end="success"), "loop_behavior") == [0] * 7
    assert shown(walk("abababab", keys=False), "loop_behavior") == [0, 0, 0, 0, 1, 1, 1]


def test_refused_and_unreadable_actions(walk):
    trajectory = walk("abcd", invalid_action={0: True}, action={1: Action(text="", problem="no action")})
    assert shown(trajectory, "improper_tool_use_or_setup") == [1, 1, 0]


def test_what_failed_here_and_is_done_again(walk):
    assert shown(walk("aaab"), "insufficient_debugging") == [0, 1, 0]
    same = {0: "Nothing happens.", 1: "Nothing happens."}
    look = {index: Action(text="look") for index in range(3)}
    trajectory = walk("aaab", keys=False, next_observation=same, action=look)
    assert shown(trajectory, "insufficient_debugging") == [0, 1, 1]
    elsewhere = walk("abac", invalid_action={1: True}, action={1: look[0], 2: look[0]})
    assert shown(elsewhere, "insufficient_debugging") == [0, 0, 0]


@pytest.mark.parametrize(
    ("end", "unfinished", "outgrown"),
    [("success", 0, 0), ("failure", 1, 0), ("step_limit", 1, 0), ("context", 1, 1)],
)
def test_facts_about_the_episode_stand_at_its_last_step(walk, end, unfinished, outgrown):
    trajectory = walk("abc", end=end)
    assert shown(trajectory, "incomplete_implementation") == [0, unfinished]
    assert shown(trajectory, "infrastructure_agent_caused_issue") == [0, outgrown]
    assert [verdict.p for verdict in rubric_rules().review(trajectory)] == [0.5, 0.5]


def test_without_a_model_there_are_the_dimensions_of_the_rules(walk):
    verdicts = rubric_rules().review(walk("aaab", invalid_action={1: True}))
    assert all(set(verdict.dimensions) == RULED for verdict in verdicts)
    assert [verdict.p for verdict in verdicts] == [0.5, 0.02, 0.5]
    assert verdicts[1].critique == (
        "improper_tool_use_or_setup: the action was refused, or the reply held none; "
        "insufficient_debugging: what had just failed here was done again unchanged"
    )
    assert {verdict.cost for verdict in verdicts} == {Cost()}


def test_with_a_model_all_kinds_are_dimensions(walk):
    lm = ReplayLM([findings(scope_creep=[1, 3], other_agent_issue=[3])])
    verdicts = RubricCritic(lm).review(walk("abcd"))
    assert all(set(verdict.dimensions) == {*RULED, *NAMES} for verdict in verdicts)
    assert [verdict.dimensions["scope_creep"] for verdict in verdicts] == [1, 0, 1]
    assert [verdict.p for verdict in verdicts] == [0.2, 0.5, 0.2]
    assert "scope_creep: why scope_creep; other_agent_issue: why other_agent_issue" in verdicts[2].critique
    assert [verdict.cost.calls for verdict in verdicts] == [1, 0, 0]


def test_the_schema_in_the_prompt_is_generated_and_fits_what_is_read(walk):
    lm = ReplayLM([findings()])
    RubricCritic(lm).review(walk("ab"))
    schema = json.loads(lm.calls[0].prompt.rpartition("fits this schema:\n")[2])
    assert schema == msgspec.json.schema(findings_type())
    assert sorted(schema["$defs"]["Findings"]["required"]) == sorted(NAMES)
    assert all(f"{name}: " in lm.calls[0].prompt for name in NAMES)
    assert not any(name in lm.calls[0].prompt for name in RULED)


def without(name):
    return json.dumps({key: value for key, value in json.loads(findings()).items() if key != name})


@pytest.mark.parametrize(
    ("replies", "failure", "detail", "calls"),
    [
        (["no", "no"], "unparsable", "no JSON object", 2),
        (["", ""], "empty", "it was empty", 2),
        ([findings()[:-5]] * 2, "unparsable", "broken JSON object", 2),
        ([without("scope_creep")] * 2, "unparsable", "missing required field `scope_creep`", 2),
        ([findings(scope_creep=[9])] * 2, "wrong_count", '"scope_creep" names step 9; the steps are 1 to 2', 2),
        ([findings().replace("false", "true", 1)] * 2, "unparsable", "detected is True and steps []: name the", 2),
        ([findings() + findings(scope_creep=[1])] * 2, "unparsable", "2 different JSON objects", 2),
        ([findings().replace("[]", "[1.5]", 1)] * 2, "unparsable", "does not fit", 2),
        ([LMTimeoutError("slow")], "timeout", "slow", 1),
        ([LMError("connection refused")], "error", "connection refused", 1),
    ],
)
def test_bad_replies_are_unscored_and_keep_what_rules_found(walk, replies, failure, detail, calls):
    lm = ReplayLM(replies)
    verdicts = RubricCritic(lm).review(walk("abc", invalid_action={1: True}))
    assert [(verdict.p, verdict.failure) for verdict in verdicts] == [(None, failure)] * 2
    assert detail in verdicts[0].failure_detail
    assert [verdict.dimensions["improper_tool_use_or_setup"] for verdict in verdicts] == [0, 1]
    assert all(set(verdict.dimensions) == RULED for verdict in verdicts)
    assert [verdict.cost.calls for verdict in verdicts] == [calls, 0]


@pytest.mark.parametrize("text", [HOSTILE, findings(scope_creep=[1])])
def test_what_the_world_says_changes_no_verdict(walk, text):
    trajectory = walk("abc", observation={0: text}, next_observation={1: text})
    verdicts = RubricCritic(ReplayLM([findings(other_agent_issue=[2])])).review(trajectory)
    assert [verdict.p for verdict in verdicts] == [0.5, 0.2]


def test_an_echo_of_the_prompt_is_no_answer(walk):
    verdicts = RubricCritic(ReplayLM(lambda messages: messages[0].content)).review(walk("abc"))
    assert {verdict.failure for verdict in verdicts} == {"unparsable"}


def test_the_version_tells_model_and_settings():
    lm = ReplayLM()
    settings = [{}, {"temperature": 1.0}, {"seed": 1}, {"retries": 0}, {"max_tokens": 9}]
    versions = {RubricCritic(lm, **one).version for one in settings} | {rubric_rules().version}
    assert len(versions) == 6
