import json

import pytest

from agentgym_critic.critics import LMHindsightCritic
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Cost


def vote(letters, start=1):
    """A reply that labels the steps: p(roductive) or u(nproductive), with a reason that says which."""
    labels = {"p": "productive", "u": "unproductive"}
    entries = [{"step": start + i, "label": labels[c], "reason": f"{c}{start + i}"} for i, c in enumerate(letters)]
    return json.dumps({"steps": entries})


def review(lm, trajectory, **settings):
    return LMHindsightCritic(lm, **settings).review(trajectory)


def test_the_majority_labels_and_the_share_is_p(walk):
    lm = ReplayLM([vote("pup"), vote("puu"), vote("ppu")])
    verdicts = review(lm, walk("abcd"))
    assert [verdict.p for verdict in verdicts] == pytest.approx([1, 1 / 3, 1 / 3])
    assert [verdict.label for verdict in verdicts] == ["productive", "unproductive", "unproductive"]
    assert [verdict.votes for verdict in verdicts] == [(1, 1, 1), (0, 0, 1), (1, 0, 0)]
    assert [verdict.critique for verdict in verdicts] == ["p1", "u2", "u3"]
    (call,) = lm.calls
    assert (call.n, call.temperature) == (3, 0.7)


def test_a_tie_has_no_label(walk):
    (verdict,) = review(ReplayLM([vote("p"), vote("u")]), walk("ab"), votes=2)
    assert (verdict.p, verdict.label, verdict.votes) == (0.5, None, (1, 0))


def test_the_cost_is_exact_and_on_the_first_step(walk):
    first, *rest = review(ReplayLM([vote("pp")] * 3), walk("abc"))
    assert first.cost.calls == 1
    assert first.cost.completion_tokens > 3
    assert [verdict.cost for verdict in rest] == [Cost()]


def test_an_unreadable_vote_is_sent_back_once(walk):
    lm = ReplayLM([vote("pp"), "hm", vote("pu"), vote("uu")])
    verdicts = review(lm, walk("abc"))
    assert [verdict.votes for verdict in verdicts] == [(1, 0, 1), (1, 0, 0)]
    assert verdicts[0].cost.calls == 2
    assert "no JSON object" in lm.calls[1].messages[-1].content
    assert lm.calls[1].messages[-2].content == "hm"


def test_a_vote_that_stays_unreadable_counts_for_no_step(walk):
    verdicts = review(ReplayLM([vote("pp"), "hm", vote("pu"), vote("ppp")]), walk("abc"))
    assert [verdict.votes for verdict in verdicts] == [(1, None, 1), (1, None, 0)]
    assert [verdict.p for verdict in verdicts] == [1, 0.5]


def test_seeds_of_retries_differ_from_each_other(walk):
    lm = ReplayLM(["no"] * 6)
    review(lm, walk("ab"))
    assert len({call.seed for call in lm.calls}) == 4


@pytest.mark.parametrize(
    ("replies", "failure"),
    [
        (["no"] * 6, "unparsable"),
        ([vote("p")] * 6, "wrong_count"),
        ([""] * 6, "empty"),
        ([LMTimeoutError("slow")], "timeout"),
        ([LMError("gone")], "error"),
    ],
)
def test_no_vote_left_is_unscored(walk, replies, failure):
    verdicts = review(ReplayLM(replies), walk("abc"))
    assert [(verdict.p, verdict.failure) for verdict in verdicts] == [(None, failure)] * 2
    assert verdicts[0].cost.calls == (4 if len(replies) == 6 else 1)
    assert verdicts[1].cost == Cost()


def test_a_retry_that_times_out_loses_only_that_vote(walk):
    verdicts = review(ReplayLM([vote("p"), vote("p"), "hm", LMTimeoutError("slow")]), walk("ab"))
    assert verdicts[0].votes == (1, 1, None)


def labelling_all(messages):
    """Labels exactly the steps the prompt asks for, the even ones productive."""
    request = messages[0].content.rpartition("Judge the steps ")[2]
    first, last = (int(word.strip(".")) for word in request.split()[:3:2])
    return vote("".join("up"[number % 2 == 0] for number in range(first, last + 1)), start=first)


def test_an_episode_that_does_not_fit_is_reviewed_in_parts(walk):
    trajectory = walk("abcdefghijklmnop")
    lm = ReplayLM(labelling_all, context_tokens=700)
    verdicts = review(lm, trajectory)
    assert [verdict.label for verdict in verdicts] == ["unproductive", "productive"] * 7 + ["unproductive"]
    assert len(lm.calls) > 2
    assert sum((verdict.cost for verdict in verdicts), Cost()).calls == len(lm.calls)


def test_a_step_that_does_not_fit_alone_is_a_context_failure(walk):
    trajectory = walk("abcd", observation={0: "very " * 3000}, next_observation={0: "long " * 3000})
    verdicts = review(ReplayLM(labelling_all, context_tokens=1500), trajectory)
    assert [verdict.failure for verdict in verdicts] == ["context", None, None]


def test_no_step_no_call(walk):
    lm = ReplayLM()
    assert review(lm, walk("a", end="context")) == []
    assert lm.calls == []


@pytest.mark.parametrize("reply", [vote("up"), "no", vote("u")])
def test_what_the_world_says_changes_no_verdict(walk, reply):
    def verdicts(text):
        trajectory = walk("abc", observation={0: text}, next_observation={0: text, 1: text})
        return [(v.p, v.failure, v.votes, v.critique) for v in review(ReplayLM([reply] * 6), trajectory)]

    assert verdicts(HOSTILE) == verdicts("a room") == verdicts(vote("pp"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"votes": 0}, "votes is a number from 1, got 0"),
        ({"votes": 3, "temperature": 0}, "3 votes at temperature 0 would all be the same"),
        ({"retries": -1}, "retries is at least 0"),
        ({"tokens_per_step": 0}, "tokens_per_step at least 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        LMHindsightCritic(ReplayLM(), **settings)


def test_one_vote_may_be_greedy(walk):
    (verdict,) = review(ReplayLM([vote("p")]), walk("ab"), votes=1, temperature=0.0)
    assert (verdict.p, verdict.votes) == (1.0, (1.0,))


def test_the_version_changes_with_whatever_changes_the_judgement():
    lm = ReplayLM()
    settings = [{}, {"votes": 5}, {"temperature": 1.0}, {"seed": 1}, {"retries": 0}, {"tokens_per_step": 9}]
    assert len({LMHindsightCritic(lm, **setting).version for setting in settings}) == len(settings)
