import math

import msgspec
import pytest

from agentgym_critic.critics import LikelihoodCritic, check_critic
from agentgym_critic.errors import ConfigError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action

SCORES = {"take mug 1": -3.0, "go to desk 1": -4.0}
"""Of three and four words: one nat a token each."""


def judge(turn, actions, lm=None, **settings):
    critic = LikelihoodCritic(lm or ReplayLM(scores=SCORES), **settings)
    return critic.judge(turn, actions, [[] for _ in actions])


@pytest.mark.parametrize(
    ("settings", "value", "p"),
    [
        ({"measure": "sequence"}, math.exp(-1), math.exp(-1)),
        ({"measure": "joint"}, math.exp(-3), math.exp(-3)),
        ({"measure": "perplexity", "perplexity_scale": 1.0}, math.e, math.exp(-1)),
        ({"measure": "perplexity", "perplexity_scale": math.e - 1}, math.e, 0.5),
    ],
)
def test_measures_of_a_scored_action(turn, actions, settings, value, p):
    verdict, _ = judge(turn, actions, **settings)
    assert verdict.p == pytest.approx(p)
    assert verdict.dimensions == {settings["measure"]: pytest.approx(value), "tokens": 3.0}
    assert verdict.cost.calls == 1


def test_entropy_is_that_of_sampled_replies_and_the_same_for_all_proposals(turn, actions):
    lm = ReplayLM(["look", "take mug 1"])  # -0.5 a token
    first, second = judge(turn, actions, lm, measure="entropy", samples=2, entropy_scale=2.0)
    assert first.p == second.p == pytest.approx(math.exp(-0.25))
    assert first.dimensions == {"entropy": 0.5, "tokens": 4.0}
    assert (first.cost.calls, second.cost.calls, lm.calls[0].temperature) == (1, 0, 1.0)


def test_an_actions_own_logprobs_are_used_unless_refused(turn):
    own = Action(text="take mug 1", token_ids=(1, 2), logprobs=(-0.5, -1.5))
    (verdict,) = judge(turn, [own], ReplayLM(), measure="joint")
    assert (verdict.p, verdict.cost.calls) == (pytest.approx(math.exp(-2)), 0)
    (verdict,) = judge(turn, [own], measure="joint", own_logprobs=False)
    assert verdict.p == pytest.approx(math.exp(-3))


def test_the_action_is_scored_as_the_players_reply(turn, actions):
    lm = ReplayLM(scores=SCORES)
    judge(turn, actions, lm)
    assert lm.calls[0].candidates == ("take mug 1",)
    assert lm.calls[0].prompt.endswith("Possible actions:\n- take mug 1\n- go to desk 1\n- look")


@pytest.mark.parametrize(
    ("score", "failure"),
    [
        (math.nan, "out_of_range"),
        (math.inf, "out_of_range"),
        (3.0, "out_of_range"),
        (LMTimeoutError("slow"), "timeout"),
        (LMError("connection refused"), "error"),
    ],
)
def test_what_is_no_likelihood_is_unscored_and_the_others_are_judged(turn, actions, score, failure):
    def scores(messages, candidate):
        if candidate == "look":
            return -1.0
        if isinstance(score, Exception):
            raise score
        return score

    bad, good = judge(turn, [actions[0], Action(text="look")], ReplayLM(scores=scores))
    assert (bad.p, bad.failure, bad.cost.calls) == (None, failure, 1)
    assert good.p == pytest.approx(math.exp(-1))


def test_an_empty_action_has_no_likelihood(turn):
    (verdict,) = judge(turn, [Action(text=" ")])
    assert (verdict.failure, verdict.cost.calls) == ("empty", 0)


def test_rounding_above_one_is_one(turn):
    (verdict,) = judge(turn, [Action(text="look")], ReplayLM(scores={"look": 1e-4}))
    assert verdict.p == 1.0


@pytest.mark.parametrize("measure", ["sequence", "joint", "perplexity"])
def test_an_impossible_action_gets_a_finite_value(turn, measure):
    (verdict,) = judge(turn, [Action(text="look")], ReplayLM(scores={"look": -1e4}), measure=measure)
    assert verdict.p == pytest.approx(0.0)


def test_a_model_that_tells_no_logprobs_cannot_tell_entropy(turn, actions):
    class Mute(ReplayLM):
        def generate(self, *arguments, **settings):
            replies = super().generate(*arguments, **settings)
            return [msgspec.structs.replace(reply, logprobs=()) for reply in replies]

    verdicts = judge(turn, actions, Mute(["look"]), measure="entropy", samples=1)
    assert [verdict.failure for verdict in verdicts] == ["error", "error"]
    assert "replay tells no log-probabilities" in verdicts[0].failure_detail


@pytest.mark.parametrize("measure", ["sequence", "joint", "perplexity", "entropy"])
def test_it_keeps_the_contract(measure):
    lm = ReplayLM(lambda messages: "look", scores=lambda messages, candidate: -float(len(candidate)))
    check_critic(LikelihoodCritic(lm, measure), deterministic=True)


def test_the_version_changes_with_whatever_changes_the_judgement():
    changes = [{}, {"measure": "joint"}, {"own_logprobs": False}, {"perplexity_scale": 2.0}, {"entropy_scale": 2.0}]
    changes += [{"samples": 2}, {"max_tokens": 9}, {"seed": 1}, {"history_steps": 3}]
    assert len({LikelihoodCritic(ReplayLM(), **change).version for change in changes}) == len(changes)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"measure": "surprise"}, "measure is one of sequence, joint, perplexity, entropy; got 'surprise'"),
        ({"perplexity_scale": 0.0}, "above 0"),
        ({"samples": 0}, "samples and max_tokens at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, problem):
    with pytest.raises(ConfigError, match=problem):
        LikelihoodCritic(ReplayLM(), **settings)
