"""What a call cost is counted once, for agents and critics alike, whatever the model tells."""

import time

import pytest

from agentgym_critic.errors import LMError, LMReplyError
from agentgym_critic.lm import Completion, ReplayLM, ScoredText, user
from agentgym_critic.lm.meter import Meter, MeteredLM
from agentgym_critic.types import Cost

ASK = [user("Which way?")]


class Canned(ReplayLM):
    """Answers with the records it was given."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)

    def generate(self, messages, **settings):
        return self.answers

    def score(self, messages, candidates):
        return self.answers


def tokens(cost):
    return cost.calls, cost.prompt_tokens, cost.completion_tokens


def test_calls_add_up_and_the_prompt_counts_once_a_call():
    lm = MeteredLM(ReplayLM(["go north", "look", "wait"], scores={"yes": -1.0, "no no": -2.0}))
    lm.generate(ASK, n=2)
    assert tokens(lm.cost) == (1, 2, 3)
    lm.generate(ASK)
    assert tokens(lm.cost) == (2, 4, 4)
    lm.score(ASK, ["yes", "no no"])
    assert tokens(lm.cost) == (3, 6, 7)


def test_tokens_are_counted_where_no_ids_are_told():
    lm = MeteredLM(Canned(Completion(text="go", prompt_tokens=5, completion_tokens=7)))
    lm.generate(ASK)
    assert tokens(lm.cost) == (1, 5, 7)
    lm = MeteredLM(Canned(ScoredText(text="go", token_ids=(), logprobs=(-1.0,), prompt_tokens=5)))
    lm.score(ASK, ["go"])
    assert tokens(lm.cost) == (1, 5, 1)


def test_ids_are_counted_where_nothing_else_is_told():
    assert Completion(text="go", token_ids=(1, 2)).completion_tokens == 2
    assert Completion(text="go", token_ids=(1, 2), completion_tokens=0).completion_tokens == 0


def test_each_request_behind_a_call_sent_the_prompt():
    lm = MeteredLM(Canned(*[Completion(text="go", token_ids=(1,), prompt_tokens=5, requests=2)] * 2))
    lm.generate(ASK, n=2)
    assert tokens(lm.cost) == (2, 10, 2)


def test_a_failed_call_is_counted_and_timed():
    def slow(messages):
        time.sleep(0.02)
        raise LMError("gone")

    lm = MeteredLM(ReplayLM(slow))
    with pytest.raises(LMError, match="gone"):
        lm.generate(ASK)
    assert tokens(lm.cost) == (1, 0, 0)
    assert lm.cost.seconds >= 0.02


def test_another_number_of_replies_is_an_error_and_paid_for():
    lm = MeteredLM(Canned(Completion(text="go", token_ids=(1,), prompt_tokens=5)))
    with pytest.raises(LMReplyError, match="asked for 2 replies and gave 1"):
        lm.generate(ASK, n=2)
    assert tokens(lm.cost) == (1, 5, 1)


def test_a_meter_prices_both_kinds_of_token():
    meter = Meter(1.0, 2.0)
    meter.add(Cost(calls=1, prompt_tokens=10, completion_tokens=5), retries=2)
    meter.add(Cost(calls=1, prompt_tokens=10))
    assert (meter.cost.calls, meter.retries, meter.money) == (2, 2, pytest.approx(30e-6))
