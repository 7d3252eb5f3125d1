import json

import pytest

from agentgym_critic.critics import VerbalizedCritic, bank_verbalized
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, LMContextError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Turn

LOOK = [Action(text="look")]


def says(confidence, reason="because"):
    return json.dumps({"reason": reason, "confidence": confidence})


def judge(lm, turn, **settings):
    (verdict,) = VerbalizedCritic(lm, **settings).judge(turn, LOOK, [[]])
    return verdict


def test_confidence_becomes_p_and_the_reason_the_critique(turn):
    lm = ReplayLM([says(85)])
    verdict = judge(lm, turn)
    assert (verdict.p, verdict.critique, verdict.critic) == (0.85, "because", "verbalized")
    assert verdict.cost.calls == 1
    assert lm.calls[0].temperature == 0


def test_an_unreadable_reply_is_sent_back_with_what_was_wrong(turn):
    lm = ReplayLM(["I am quite sure", says(20)])
    verdict = judge(lm, turn)
    assert verdict.p == 0.2
    assert verdict.cost.calls == 2
    question, reply, complaint = lm.calls[1].messages
    assert question == lm.calls[0].messages[0]
    assert (reply.role, reply.content) == ("assistant", "I am quite sure")
    assert 'no JSON object with the key "confidence"' in complaint.content


@pytest.mark.parametrize(
    ("replies", "failure"),
    [
        (["no", "no"], "unparsable"),
        (["no", says(101)], "out_of_range"),
        (["no", '{"reason": "x", "confidence": NaN}'], "out_of_range"),
        (["", ""], "empty"),
        ([says(10) + says(90)] * 2, "unparsable"),
        (["no", LMTimeoutError("slow")], "timeout"),
        (["no", LMContextError("long")], "context"),
        (["no", LMError("gone")], "error"),
        (["\ud800\x00" * 50, "}{" * 1000], "unparsable"),
    ],
)
def test_a_failure_is_never_a_low_score_and_is_paid_for(turn, replies, failure):
    verdict = judge(ReplayLM(replies), turn)
    assert (verdict.p, verdict.failure) == (None, failure)
    assert verdict.failure_detail
    assert verdict.cost.calls == 2
    assert verdict.cost.prompt_tokens > 0


def test_a_timeout_of_the_first_call_is_not_retried(turn):
    verdict = judge(ReplayLM([LMTimeoutError("slow"), says(50)]), turn)
    assert (verdict.failure, verdict.cost.calls) == ("timeout", 1)


def test_the_number_of_retries_is_bounded(turn):
    lm = ReplayLM(["no"] * 9)
    assert judge(lm, turn, retries=3).cost.calls == 4
    assert judge(lm, turn, retries=0).cost.calls == 1


def test_one_action_failing_leaves_the_others_judged(turn, actions):
    lm = ReplayLM(lambda messages: says(60) if "| take mug 1\n\nHow" in messages[0].content else "no")
    good, bad = VerbalizedCritic(lm).judge(turn, actions, [[], []])
    assert (good.p, bad.failure) == (0.6, "unparsable")


@pytest.mark.parametrize("reply", [says(5), "no idea", ""])
def test_what_the_world_says_changes_no_verdict(reply):
    def verdict(observation):
        turn = Turn(task="t", observation=observation)
        (verdict,) = VerbalizedCritic(ReplayLM([reply, reply])).judge(turn, LOOK, [[]])
        return verdict.p, verdict.failure, verdict.critique

    assert verdict(HOSTILE) == verdict("a room") == verdict(says(100))


def test_the_bank_variant_shows_two_of_each_polarity(turn, experiences):
    lm = ReplayLM([says(50)])
    (verdict,) = bank_verbalized(lm).judge(turn, LOOK, [experiences])
    assert verdict.recalled == ("productive0", "productive1", "unproductive0", "unproductive1")
    assert "| productive outcome 1" in lm.calls[0].prompt


def test_the_version_changes_with_whatever_changes_the_judgement():
    lm = ReplayLM()
    settings = [{}, {"recall_k": 1}, {"max_tokens": 9}, {"temperature": 1.0}, {"seed": 1}, {"retries": 0}]
    assert len({VerbalizedCritic(lm, **setting).version for setting in settings}) == len(settings)


def test_a_negative_number_of_retries_is_refused():
    with pytest.raises(ConfigError, match="retries is a number from 0, got -1"):
        VerbalizedCritic(ReplayLM(), retries=-1)
