"""The public fake keeps its script and the form of a real model."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.errors import ConfigError, LMContextError, LMError, LMTimeoutError
from agentgym_critic.lm import Message, ReplayLM, user

ASK = [Message(role="system", content="Be brief."), user("Which way?")]


def test_replies_come_in_order_and_calls_are_kept():
    lm = ReplayLM(["one", "two", "three"])
    assert [reply.text for reply in lm.generate(ASK, n=2, seed=4)] == ["one", "two"]
    assert lm.generate(ASK)[0].text == "three"
    assert [(call.kind, call.n, call.seed) for call in lm.calls] == [("generate", 2, 4), ("generate", 1, None)]
    assert lm.calls[0].prompt == "Be brief.\n\nWhich way?"


def test_a_script_that_ran_out_says_so():
    lm = ReplayLM(["one"])
    lm.generate(ASK)
    with pytest.raises(LMError, match="has 1 replies and was asked for number 2; give it more, or a function"):
        lm.generate(ASK)
    assert len(lm.calls) == 2


def test_a_function_answers_the_messages():
    lm = ReplayLM(lambda messages: messages[-1].content.upper())
    assert lm.generate([user("go")])[0].text == "GO"


def test_an_exception_in_the_script_is_raised_once():
    lm = ReplayLM([LMTimeoutError("late"), "then"])
    with pytest.raises(LMTimeoutError, match="late"):
        lm.generate(ASK)
    assert lm.generate(ASK)[0].text == "then"


def test_scores_are_totals_over_the_tokens():
    lm = ReplayLM(scores={"go north": -3.0})
    (scored,) = lm.score(ASK, ["go north"])
    assert scored.logprobs == (-1.5, -1.5)
    assert len(scored.token_ids) == 2
    assert lm.calls[0].candidates == ("go north",)
    by_function = ReplayLM(scores=lambda messages, candidate: -float(len(candidate)))
    assert by_function.score(ASK, ["abc"])[0].logprobs == (-3.0,)


def test_a_missing_score_names_the_known_ones():
    with pytest.raises(LMError, match=r"no score for 'up'; it has them for \['down'\]"):
        ReplayLM(scores={"down": -1.0}).score(ASK, ["up"])
    with pytest.raises(LMError, match="was given no scores"):
        ReplayLM().score(ASK, ["up"])


@pytest.mark.parametrize("candidates", [[], [""], ["up", " "]])
def test_empty_candidates_are_refused_as_by_a_real_model(candidates):
    with pytest.raises(ConfigError, match="at least one candidate and no empty one"):
        ReplayLM(scores=lambda *_: 0.0).score(ASK, candidates)


def test_stop_strings_and_limits_are_kept():
    lm = ReplayLM(lambda _: "go north END now")
    assert lm.generate(ASK, stop=["END"])[0].text == "go north "
    short = lm.generate(ASK, max_tokens=1)[0]
    assert (short.text, short.finish, len(short.token_ids)) == ("go", "length", 1)


def test_the_window_is_kept():
    lm = ReplayLM(["x"], context_tokens=10)
    with pytest.raises(LMContextError, match="the prompt has 4 tokens and the reply up to 7, together over the 10"):
        lm.generate(ASK, max_tokens=7)
    assert lm.generate(ASK, max_tokens=6)[0].prompt_tokens == 4 == lm.count_tokens(ASK)


def test_wrong_settings_are_refused_as_by_a_real_model():
    with pytest.raises(ConfigError, match="n=0"):
        ReplayLM(["x"]).generate(ASK, n=0)
    with pytest.raises(ConfigError, match="a list of replies or a function, got the text 'abc'"):
        ReplayLM("abc")


@given(st.text(max_size=40))
def test_any_reply_has_as_many_logprobs_as_tokens(reply):
    (completion,) = ReplayLM([reply]).generate(ASK)
    assert len(completion.logprobs) == len(completion.token_ids)
    if reply.strip():
        assert completion.text == reply


def test_threads_share_one_script():
    lm = ReplayLM([str(index) for index in range(80)])
    said = []
    threads = [
        threading.Thread(target=lambda: said.extend(lm.generate(ASK)[0].text for _ in range(10))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said, key=int) == [str(index) for index in range(80)]
