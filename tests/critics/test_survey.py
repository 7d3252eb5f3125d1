import pytest

from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.critics.survey import StepSurvey, costs_of
from agentgym_critic.errors import ConfigError, LMContextError, LMTimeoutError
from agentgym_critic.lm import ReplayLM, user
from agentgym_critic.types import Cost


def prompt(steps):
    return [user(" ".join(f"step-{step.index + 1}" for step in steps))]


def read(reply, numbers):
    if reply.split() != [str(number) for number in numbers]:
        raise UnreadableReplyError("wrong_count", "other numbers.")
    return list(numbers)


def counting(messages):
    return " ".join(word.removeprefix("step-") for word in messages[0].content.split())


def survey(lm, **settings):
    return StepSurvey(lm, **{"tokens_per_step": 1, "temperature": 0.0, "seed": 5, "retries": 1, **settings})


def test_one_call_for_all_steps(walk):
    lm = ReplayLM(counting)
    answers, cost = survey(lm).ask(walk("abcd").steps, prompt, read)
    assert answers == [1, 2, 3]
    assert cost.calls == len(lm.calls) == 1
    assert (lm.calls[0].max_tokens, lm.calls[0].seed, lm.calls[0].temperature) == (32 + 3, 5, 0.0)


def test_no_step_no_call(walk):
    lm = ReplayLM()
    assert survey(lm).ask((), prompt, read) == ([], Cost())
    assert lm.calls == []


def test_halves_and_halves_of_halves(walk):
    lm = ReplayLM(counting, context_tokens=36)
    answers, cost = survey(lm).ask(walk("abcdefg").steps, prompt, read)
    assert answers == [1, 2, 3, 4, 5, 6]
    assert cost.calls == len(lm.calls) > 2


def test_a_step_that_does_not_fit_alone_has_no_answer(walk):
    answers, _ = survey(ReplayLM(counting, context_tokens=33)).ask(walk("abc").steps, prompt, read)
    assert [type(answer) for answer in answers] == [LMContextError] * 2


def test_an_unreadable_reply_goes_back_once_with_what_was_wrong(walk):
    lm = ReplayLM(["1", "1 2"])
    answers, cost = survey(lm).ask(walk("abc").steps, prompt, read)
    assert (answers, cost.calls) == ([1, 2], 2)
    assert "other numbers." in lm.calls[1].messages[-1].content
    assert lm.calls[1].seed == 6


def test_after_that_there_is_no_answer_and_the_cost_stays(walk):
    lm = ReplayLM(["1", "1", "1 2"])
    answers, cost = survey(lm).ask(walk("abc").steps, prompt, read)
    assert [answer.failure for answer in answers] == ["wrong_count"] * 2
    assert cost.calls == 2


def test_a_retry_that_fails_otherwise_asks_no_more(walk):
    lm = ReplayLM(["1", LMContextError("full"), "1 2"])
    answers, _ = survey(lm).ask(walk("abc").steps, prompt, read)
    assert [type(answer) for answer in answers] == [LMContextError] * 2
    assert len(lm.calls) == 2


def test_a_model_that_fails_is_asked_once(walk):
    lm = ReplayLM([LMTimeoutError("slow"), "1 2"])
    answers, cost = survey(lm).ask(walk("abc").steps, prompt, read)
    assert [type(answer) for answer in answers] == [LMTimeoutError] * 2
    assert cost.calls == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"retries": -1}, "retries is at least 0 and tokens_per_step at least 1, got -1 and 1"),
        ({"tokens_per_step": 0}, "tokens_per_step at least 1, got 1 and 0"),
        ({"temperature": float("nan")}, "temperature is a number from 0, got nan"),
        ({"reply_tokens": -1}, "the tokens of a reply are a number from 0, got -1"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        survey(ReplayLM(), **settings)


def test_the_sum_of_the_costs_is_exact():
    assert costs_of(Cost(calls=2), 3) == [Cost(calls=2), Cost(), Cost()]
