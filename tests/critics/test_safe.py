import logging
import math

import msgspec
import numpy as np
import pytest

from agentgym_critic.critics import safe_judge, safe_review
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.errors import LMContextError, LMError, LMReplyError, LMTimeoutError
from agentgym_critic.types import Verdict, from_json, to_json


class Judge:
    """Answers, or raises, whatever it was given."""

    id, version, recall_k = "mine", "7", 0

    def __init__(self, answer):
        self.answer = answer

    def judge(self, turn, actions, experiences):
        return self.review(None)

    def review(self, trajectory):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer() if callable(self.answer) else self.answer


def good(p=0.5):
    return Verdict(p=p, critic="mine")


def forged(**fields):
    """A verdict that went round its own checks."""
    verdict = Verdict(p=0.5, critic="mine")
    for name, value in fields.items():
        msgspec.structs.force_setattr(verdict, name, value)
    return verdict


@pytest.mark.parametrize(
    ("answer", "failure", "detail"),
    [
        (ValueError("broken"), "error", "ValueError: broken"),
        (TimeoutError("late"), "timeout", "TimeoutError: late"),
        (LMTimeoutError("late"), "timeout", "LMTimeoutError: late"),
        (LMContextError("long"), "context", "LMContextError: long"),
        (LMReplyError("odd"), "unparsable", "LMReplyError: odd"),
        (LMError("gone"), "error", "LMError: gone"),
        (UnreadableReplyError("empty", "it was empty."), "empty", "UnreadableReplyError: it was empty."),
        (lambda: [Verdict(p=math.nan, critic="m")] * 2, "out_of_range", "p is a probability in [0, 1], got nan"),
        (lambda: [Verdict(p=1.01, critic="m")] * 2, "out_of_range", "got 1.01"),
        ([forged(p=math.nan)] * 2, "out_of_range", "got nan"),
        ([forged(p=-1)] * 2, "out_of_range", "got -1"),
        ([], "wrong_count", "2 verdicts were asked for, 0 came back"),
        ([good()], "wrong_count", "2 verdicts were asked for, 1 came back"),
        ([good()] * 3, "wrong_count", "2 verdicts were asked for, 3 came back"),
        (None, "error", "TypeError: 'NoneType' object is not iterable"),
        ([0.5, 0.5], "error", "a critic answers with Verdict objects, got float"),
        ([None, None], "error", "got NoneType"),
        ([forged(critique=3)] * 2, "error", "ValidationError"),
        ([forged(dimensions={"x": object()})] * 2, "error", "TypeError"),
        ([forged(p="high")] * 2, "error", "could not convert string to float"),
        (iter([good()]), "wrong_count", "1 came back"),
    ],
)
def test_whatever_goes_wrong_is_an_unscored_verdict(turn, actions, answer, failure, detail, caplog):
    verdicts = safe_judge(Judge(answer), turn, actions, [[], []])
    assert [(v.p, v.failure, v.critic, v.version) for v in verdicts] == [(None, failure, "mine", "7")] * 2
    assert detail in verdicts[0].failure_detail
    assert len(caplog.records) == 1
    assert caplog.records[0].levelno == logging.WARNING
    assert all(from_json(to_json(verdict), Verdict) == verdict for verdict in verdicts)


def test_one_bad_verdict_leaves_the_others(turn, actions):
    kept, lost = safe_judge(Judge([good(0.7), "no"]), turn, actions, [[], []])
    assert (kept.p, lost.failure) == (0.7, "error")


def test_good_verdicts_pass_unchanged_and_silently(turn, actions, caplog):
    verdicts = [good(0.0), Verdict.unscored("mine", "empty", "nothing said")]
    assert safe_judge(Judge(verdicts), turn, actions, [[], []]) == verdicts
    assert safe_judge(Judge(iter(verdicts)), turn, actions, [[], []]) == verdicts
    assert not caplog.records


@pytest.mark.parametrize("p", [np.float32(0.25), np.float64(0.25), 1, True])
def test_numbers_of_other_types_become_plain(turn, actions, p):
    verdict, _ = safe_judge(Judge([forged(p=p), good()]), turn, actions, [[], []])
    assert verdict.p == float(p)
    assert type(verdict.p) is float


def test_what_is_no_exception_passes(turn, actions):
    for error in (KeyboardInterrupt(), SystemExit()):
        with pytest.raises(type(error)):
            safe_judge(Judge(error), turn, actions, [[], []])


def test_a_critic_whose_own_id_fails_is_named_after_its_class(turn, actions):
    class Nameless:
        def judge(self, turn, actions, experiences):
            raise ValueError("broken")

    assert safe_judge(Nameless(), turn, actions, [[], []])[0].critic == "Nameless"


def test_a_review_is_guarded_in_the_same_way(walk):
    trajectory = walk("abc")
    assert [v.p for v in safe_review(Judge([good(0.1), good(0.9)]), trajectory)] == [0.1, 0.9]
    assert [v.failure for v in safe_review(Judge([good()]), trajectory)] == ["wrong_count"] * 2
    assert [v.failure for v in safe_review(Judge(OSError("disk")), trajectory)] == ["error"] * 2
    assert safe_review(Judge([]), walk("a")) == []
