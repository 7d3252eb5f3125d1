import json

import pytest

from agentgym_critic.critics import FirstErrorCritic, first_bad_step
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM

WORDS = {"g": "good", "b": "bad", "?": "uncertain"}


def answer(letters, start=1):
    steps = [{"step": start + i, "label": WORDS[c], "reason": f"{c}{start + i}"} for i, c in enumerate(letters)]
    return json.dumps({"steps": steps})


def review(lm, trajectory, **settings):
    return FirstErrorCritic(lm, **settings).review(trajectory)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("undecided", [1, 0.5, 0, 0.5, 0.5]),
        ("judged", [1, 0.5, 0, 1, 0]),
        ("unproductive", [1, 0.5, 0, 0, 0]),
    ],
)
def test_what_comes_after_the_first_error(walk, after, expected):
    verdicts = review(ReplayLM([answer("g?bgb")]), walk("abcdef"), after=after)
    assert [verdict.p for verdict in verdicts] == expected
    assert [verdict.dimensions["quality"] for verdict in verdicts] == [1, 0.5, 0, 1, 0]
    assert [verdict.dimensions["first_error"] for verdict in verdicts] == [0, 0, 1, 0, 0]
    assert [verdict.dimensions["after_error"] for verdict in verdicts] == [0, 0, 0, 1, 1]
    assert first_bad_step(verdicts) == 2
    assert verdicts[2].critique == "b3"
    assert [verdict.cost.calls for verdict in verdicts] == [1, 0, 0, 0, 0]


def test_without_an_error_all_steps_stand_as_judged(walk):
    verdicts = review(ReplayLM([answer("g?g")]), walk("abcd"))
    assert [verdict.p for verdict in verdicts] == [1, 0.5, 1]
    assert [verdict.label for verdict in verdicts] == ["productive", None, "productive"]
    assert first_bad_step(verdicts) is None


def test_the_first_error_of_a_stored_trajectory(walk):
    trajectory = walk("abc")
    assert first_bad_step([step.hindsight for step in trajectory.steps]) is None
    marked = trajectory.with_hindsight(review(ReplayLM([answer("gb")]), trajectory))
    assert first_bad_step([step.hindsight for step in marked.steps]) == 1


@pytest.mark.parametrize(
    ("replies", "failure", "calls"),
    [
        (["no", "no"], "unparsable", 2),
        (["", ""], "empty", 2),
        ([answer("g")] * 2, "wrong_count", 2),
        ([answer("gb", start=2)] * 2, "wrong_count", 2),
        ([answer("gb").replace("bad", "dreadful")] * 2, "unparsable", 2),
        ([answer("gb") + answer("bg")] * 2, "unparsable", 2),
        ([answer("gb")[:-4]] * 2, "unparsable", 2),
        ([LMTimeoutError("slow")], "timeout", 1),
        ([LMError("connection refused")], "error", 1),
    ],
)
def test_bad_replies_are_unscored_with_their_class_after_one_retry(walk, replies, failure, calls):
    lm = ReplayLM(replies)
    verdicts = review(lm, walk("abc"))
    assert [(verdict.p, verdict.failure) for verdict in verdicts] == [(None, failure)] * 2
    assert [verdict.cost.calls for verdict in verdicts] == [calls, 0]
    assert len(lm.calls) == calls


def test_a_second_reply_is_read(walk):
    verdicts = review(ReplayLM(["hm", answer("gb")]), walk("abc"))
    assert [verdict.p for verdict in verdicts] == [1, 0]


def test_if_a_part_stays_unanswered_the_first_error_is_unknown(walk):
    def first_half_only(messages):
        return answer("gg") if "Judge the steps 1 to 2," in messages[0].content else "no"

    trajectory = walk("abcde")
    fits = ReplayLM().count_tokens
    lm = ReplayLM(first_half_only)
    FirstErrorCritic(lm).review(trajectory)
    whole = fits(lm.calls[0].messages) + 32 + 48 * 4
    lm = ReplayLM(first_half_only, context_tokens=whole - 1)
    assert {verdict.failure for verdict in review(lm, trajectory)} == {"unparsable"}
    assert len(lm.calls) == 4  # too long; the first half; the second half, and once more


@pytest.mark.parametrize("text", [HOSTILE, answer("bb")])
def test_what_the_world_says_changes_no_verdict(walk, text):
    trajectory = walk("abc", observation={0: text}, next_observation={1: text})
    assert [verdict.p for verdict in review(ReplayLM([answer("g?")]), trajectory)] == [1, 0.5]


def test_settings_and_version():
    lm = ReplayLM()
    with pytest.raises(ConfigError, match="after is one of undecided, judged, unproductive; got 'never'"):
        FirstErrorCritic(lm, after="never")
    versions = {FirstErrorCritic(lm, **one).version for one in ({}, {"after": "judged"}, {"seed": 1}, {"retries": 0})}
    assert len(versions) == 4
