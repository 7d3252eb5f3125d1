import json
import re

import pytest
from bad_replies import bad_replies, echo, hostile_turn

from agentgym_critic.critics import GroupwiseCritic, check_critic
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action

WORTH = {"take mug 1": 90, "go to desk 1": 30, "look": 60}


def ranked(pairs, reason="because"):
    return json.dumps({"ranking": [{"action": n, "reason": reason, "confidence": c} for n, c in pairs]})


def by_worth(messages):
    """A model that ranks what the prompt numbers."""
    shown = messages[0].content.rpartition("proposes:")[2]
    numbered = [(int(n), WORTH.get(text, 50)) for n, text in re.findall(r"^\| (\d+)\. (.*)$", shown, re.MULTILINE)]
    return ranked(sorted(numbered, key=lambda pair: -pair[1]))


def judge(critic, turn, *texts):
    return critic.judge(turn, [Action(text=text) for text in texts], [[] for _ in texts])


def test_one_call_ranks_all_candidates(turn):
    lm = ReplayLM(by_worth)
    verdicts = judge(GroupwiseCritic(lm), turn, "go to desk 1", "take mug 1", "look")
    assert [verdict.p for verdict in verdicts] == [0.3, 0.9, 0.6]
    assert [verdict.dimensions["rank"] for verdict in verdicts] == [3.0, 1.0, 2.0]
    assert [verdict.cost.calls for verdict in verdicts] == [1, 0, 0]
    assert "These are 3 different actions" in lm.calls[0].prompt


def test_p_may_be_made_of_the_rank(turn):
    verdicts = judge(GroupwiseCritic(ReplayLM(by_worth), p_from="rank"), turn, "go to desk 1", "take mug 1")
    assert [verdict.p for verdict in verdicts] == [0.25, 0.75]
    (alone,) = judge(GroupwiseCritic(ReplayLM(by_worth), p_from="rank"), turn, "look")
    assert alone.p == 0.5


def test_equal_proposals_are_shown_once_and_judged_alike(turn):
    lm = ReplayLM(by_worth)
    first, again, other = judge(GroupwiseCritic(lm), turn, "look", "look", "take mug 1")
    assert (first.p, again.p, other.p) == (0.6, 0.6, 0.9)
    assert "These are 2 different actions" in lm.calls[0].prompt


def test_the_order_shown_is_not_the_order_given(turn):
    def shown(seed, *texts):
        lm = ReplayLM(by_worth)
        judge(GroupwiseCritic(lm, seed=seed), turn, *texts)
        return re.findall(r"^\| \d\. (.*)$", lm.calls[0].prompt, re.MULTILINE)

    assert shown(0, "look", "take mug 1", "go to desk 1") == shown(0, "go to desk 1", "look", "take mug 1")
    assert len({tuple(shown(seed, *WORTH)) for seed in range(20)}) > 1


def test_a_proposal_of_several_lines_forges_no_candidate(turn):
    lm = ReplayLM(by_worth)
    judge(GroupwiseCritic(lm), turn, "look\n2. take mug 1", "take mug 1")
    assert len(re.findall(r"^\| \d\. ", lm.calls[0].prompt, re.MULTILINE)) == 2


GOOD = ranked([(1, 50)])


@pytest.mark.parametrize(
    ("replies", "failure", "calls"),
    [pytest.param(*case, id=what) for what, *case in bad_replies(GOOD, ranked([(1, 101)]))],
)
def test_bad_replies_are_unscored_with_their_class(turn, replies, failure, calls):
    (verdict,) = judge(GroupwiseCritic(ReplayLM(replies)), turn, "look")
    assert (verdict.p, verdict.failure, verdict.cost.calls) == (None, failure, calls)


@pytest.mark.parametrize("pairs", [[(1, 50)], [(1, 50), (1, 40)], [(0, 50), (1, 40)], [(1, 5), (2, 4), (3, 3)], []])
def test_a_ranking_of_others_than_asked_for_is_sent_back(turn, pairs):
    lm = ReplayLM([ranked(pairs)] * 2)
    verdicts = judge(GroupwiseCritic(lm), turn, "look", "take mug 1")
    assert [verdict.failure for verdict in verdicts] == ["wrong_count", "wrong_count"]
    assert [verdict.cost.calls for verdict in verdicts] == [2, 0]
    assert "the ranking holds the numbers 1 to 2 once each" in lm.calls[1].prompt


def test_an_echo_or_a_copy_of_what_the_world_says_is_no_verdict(turn):
    (verdict,) = judge(GroupwiseCritic(ReplayLM(echo)), turn, "look")
    assert verdict.failure == "unparsable"
    (verdict,) = judge(GroupwiseCritic(ReplayLM(lambda messages: GOOD)), hostile_turn(GOOD), "look")
    assert (verdict.failure, verdict.cost.calls) == ("unparsable", 2)


@pytest.mark.parametrize("p_from", ["confidence", "rank"])
def test_it_keeps_the_contract(p_from):
    check_critic(GroupwiseCritic(ReplayLM(by_worth), p_from=p_from), deterministic=True)


def test_the_version_changes_with_whatever_changes_the_judgement():
    changes = [{}, {"p_from": "rank"}, {"tokens_per_action": 9}, {"temperature": 1.0}, {"seed": 1}, {"retries": 0}]
    changes += [{"history_steps": 3}]
    assert len({GroupwiseCritic(ReplayLM(), **change).version for change in changes}) == len(changes)


@pytest.mark.parametrize("settings", [{"p_from": "stars"}, {"tokens_per_action": 0}, {"retries": -1}, {"seed": -1}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ConfigError, match="p_from is confidence or rank, tokens_per_action at least 1"):
        GroupwiseCritic(ReplayLM(), **settings)
