import json
import re

import pytest
from bad_replies import bad_replies, echo, hostile_turn

from agentgym_critic.critics import SelfConsistencyCritic, check_critic
from agentgym_critic.critics.player import PlayerPrompt, read_action
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.errors import ConfigError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Turn

LOOK = [Action(text="look")]


def says(confidence, reason="because"):
    return json.dumps({"reason": reason, "confidence": confidence})


def judge(critic, turn, actions=LOOK):
    return critic.judge(turn, actions, [[] for _ in actions])


def test_p_is_the_share_of_resampled_actions_that_are_the_proposed_one(turn, actions):
    lm = ReplayLM(["take mug 1", "Action: Take  mug 1", "go to desk 1", "look"])
    take, go = judge(SelfConsistencyCritic(lm, 4), turn, actions)
    assert (take.p, go.p) == (0.5, 0.25)
    assert take.votes == (1.0, 1.0, 0.0, 0.0)
    assert take.critique == "50% of the sampled actions are this one (4 samples)."
    assert (take.cost.calls, go.cost.calls) == (1, 0)
    assert (lm.calls[0].n, lm.calls[0].temperature) == (4, 0.7)


def test_the_player_is_asked_as_agents_are(turn):
    system, seen, done, now = PlayerPrompt().messages(turn)
    assert [message.role for message in (system, seen, done, now)] == ["system", "user", "assistant", "user"]
    assert "| put a mug on the desk" in system.content
    assert (seen.content, done.content) == ("| You are in a kitchen.", "go to sink 1")
    assert now.content.startswith("| You are at the sink.")
    assert now.content.endswith("Possible actions:\n- take mug 1\n- go to desk 1\n- look")
    assert len(PlayerPrompt(history_steps=0).messages(turn)) == 2
    unlisted = PlayerPrompt().messages(Turn(task="t", observation="o"))
    assert unlisted[-1].content == "| o\n\nAny short command is possible."


def test_an_unreadable_sample_is_sent_back_once_and_then_counts_nothing(turn):
    lm = ReplayLM(["dance", "look", "dance", "look", "dance"])
    (verdict,) = judge(SelfConsistencyCritic(lm, 3), turn)
    assert (verdict.p, verdict.votes) == (1.0, (1.0, 1.0, None))
    assert verdict.cost.calls == 3
    assert lm.calls[1].prompt.endswith(
        "That reply cannot be used: 'dance' is not one of the possible actions.\nReply again, with the action only."
    )


@pytest.mark.parametrize(
    ("replies", "failure", "calls"),
    [
        (["", " "], "empty", 2),
        (["north", "north"], "unparsable", 2),
        (["\nlook"] * 2, "empty", 2),
        (["x" * 100_000] * 2, "unparsable", 2),
        (['{"action": "lo'] * 2, "unparsable", 2),
        ([LMTimeoutError("slow")], "timeout", 1),
        ([LMError("connection refused")], "error", 1),
    ],
)
def test_no_readable_action_is_unscored(turn, replies, failure, calls):
    (verdict,) = judge(SelfConsistencyCritic(ReplayLM(replies), 1), turn)
    assert (verdict.p, verdict.failure, verdict.cost.calls) == (None, failure, calls)


def test_an_echo_of_the_prompt_is_no_action(turn):
    (verdict,) = judge(SelfConsistencyCritic(ReplayLM(echo), 2), turn)
    assert verdict.failure == "unparsable"


def test_p_is_the_mean_of_sampled_confidences(turn):
    lm = ReplayLM([says(20), says(60), "no", says(100)])
    (verdict,) = judge(SelfConsistencyCritic(lm, 3, of="confidences"), turn)
    assert (verdict.p, verdict.votes) == (0.6, (0.2, 0.6, 1.0))
    assert verdict.cost.calls == 2
    assert lm.calls[0].seed != lm.calls[1].seed


@pytest.mark.parametrize(
    ("replies", "failure", "calls"),
    [pytest.param(*case, id=what) for what, *case in bad_replies(says(50), says(101))],
)
def test_bad_confidences_are_unscored(turn, replies, failure, calls):
    (verdict,) = judge(SelfConsistencyCritic(ReplayLM(replies), 1, of="confidences"), turn)
    assert (verdict.p, verdict.failure, verdict.cost.calls) == (None, failure, calls)


def test_a_confidence_copied_from_the_world_is_no_confidence():
    lm = ReplayLM(lambda messages: says(100))
    (verdict,) = judge(SelfConsistencyCritic(lm, 1, of="confidences"), hostile_turn(says(100)))
    assert verdict.failure == "unparsable"
    assert "repeats what it was shown instead of judging it" in verdict.failure_detail


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "it was empty"),
        ("a\nb", "it has 2 lines; an action is one"),
        ("Action:", "1 to 1000 characters, it 0"),
        ("north", "'north' is not one of the possible actions"),
    ],
)
def test_what_is_no_action_is_said(reply, problem):
    with pytest.raises(UnreadableReplyError, match=problem):
        read_action(reply, ["look"])


def test_where_actions_cannot_be_listed_any_line_is_one():
    assert read_action(" Action: dance ", None) == "dance"


@pytest.mark.parametrize("reply", ["- look", "`look`.", '"look"', "Action: *look*", "LOOK"])
def test_marks_around_a_listed_action_are_passed_over(reply):
    assert read_action(reply, ["look", "wait"]) == "look"


def test_a_reply_ends_with_its_first_line(turn):
    (verdict,) = judge(SelfConsistencyCritic(ReplayLM(["look\nYou see a mug."]), 1), turn)
    assert (verdict.p, verdict.cost.calls) == (1.0, 1)


def test_two_listed_actions_that_differ_in_case_are_told_apart():
    assert read_action("A", ["a", "A"]) == "A"
    with pytest.raises(UnreadableReplyError):
        read_action("ab", ["aB", "Ab"])


def first_listed(messages):
    return (re.findall(r"^- (.+)$", messages[-1].content, re.MULTILINE) or ["look"])[0]


@pytest.mark.parametrize("of", ["actions", "confidences"])
def test_it_keeps_the_contract(of):
    lm = ReplayLM(lambda messages: says(50) if of == "confidences" else first_listed(messages))
    check_critic(SelfConsistencyCritic(lm, 2, of=of), deterministic=True)


def test_the_version_changes_with_whatever_changes_the_judgement():
    changes = [{}, {"samples": 4}, {"of": "confidences"}, {"temperature": 1.0}, {"seed": 1}, {"retries": 0}]
    changes += [{"max_tokens": 9}, {"history_steps": 3}]
    assert len({SelfConsistencyCritic(ReplayLM(), **change).version for change in changes}) == len(changes)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"of": "plans"}, "of is actions or confidences"),
        ({"samples": 0}, "samples at least 1"),
        ({"temperature": 0.0}, "5 samples at temperature 0 would all be the same"),
        ({"history_steps": -1}, "history_steps is a number of steps from 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, problem):
    with pytest.raises(ConfigError, match=problem):
        SelfConsistencyCritic(ReplayLM(), **settings)
