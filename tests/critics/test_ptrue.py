import math

import pytest

from agentgym_critic.critics import PTrueCritic, bank_ptrue
from agentgym_critic.critics.ptrue import p_of_first
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, LMContextError, LMError, LMTimeoutError, OutOfRangeError
from agentgym_critic.lm import ReplayLM, ScoredText
from agentgym_critic.types import Action, Turn

SCORES = {"productive": math.log(0.2), "unproductive": math.log(0.6)}


def scored(text, ids, logprobs):
    return ScoredText(text=text, token_ids=ids, logprobs=logprobs)


def test_p_is_the_share_of_the_two_answers(turn, actions):
    lm = ReplayLM(scores=SCORES)
    verdicts = PTrueCritic(lm).judge(turn, actions, [[], []])
    assert [verdict.p for verdict in verdicts] == pytest.approx([0.25, 0.25])
    assert [call.candidates for call in lm.calls] == [("productive", "unproductive")] * 2
    assert [verdict.cost.calls for verdict in verdicts] == [1, 1]
    assert verdicts[0].cost.prompt_tokens > 100
    assert verdicts[0].cost.completion_tokens == 2


def test_only_the_token_where_the_answers_part_counts():
    first = scored("unlikely", (5, 7, 9), (-50.0, math.log(0.3), -20.0))
    second = scored("unworthy", (5, 8), (-50.0, math.log(0.1)))
    assert p_of_first(first, second) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("a", "b", "p"), [(-math.inf, -1.0, 0.0), (-1.0, -math.inf, 1.0), (-2000.0, -2000.0, 0.5), (-1.0, -900.0, 1.0)]
)
def test_extreme_log_probabilities(a, b, p):
    assert p_of_first(scored("x", (1,), (a,)), scored("y", (2,), (b,))) == pytest.approx(p)


@pytest.mark.parametrize(("a", "b"), [(math.nan, -1.0), (-1.0, math.nan), (-math.inf, -math.inf)])
def test_what_is_no_probability_is_out_of_range(a, b, turn):
    with pytest.raises(OutOfRangeError, match="the log-probabilities of the two answers are"):
        p_of_first(scored("x", (1,), (a,)), scored("y", (2,), (b,)))
    lm = ReplayLM(scores={"productive": a, "unproductive": b})
    (verdict,) = PTrueCritic(lm).judge(turn, [Action(text="look")], [[]])
    assert (verdict.failure, verdict.cost.calls) == ("out_of_range", 1)


def test_a_model_that_tells_no_tokens_can_judge_by_answers_of_one_token():
    assert p_of_first(scored("yes", (), (math.log(0.3),)), scored("no", (), (math.log(0.1),))) == pytest.approx(0.75)
    assert p_of_first(scored("yes", (4,), (math.log(0.3),)), scored("no", (), (math.log(0.1),))) == pytest.approx(0.75)
    with pytest.raises(ConfigError, match="does not tell the tokens of 'yes' and 'no way', and they are not one each"):
        p_of_first(scored("yes", (), (-1.0,)), scored("no way", (), (-1.0, -1.0)))


def test_answers_that_never_part_leave_the_action_unscored_and_paid_for(turn):
    lm = ReplayLM(scores=lambda messages, candidate: -1.0)
    (verdict,) = PTrueCritic(lm, answers=("yes", "yes please")).judge(turn, [Action(text="look")], [[]])
    assert (verdict.p, verdict.failure, verdict.cost.calls) == (None, "error", 1)
    assert "'yes' and 'yes please' share all tokens" in verdict.failure_detail


def test_answers_that_never_part_are_refused():
    with pytest.raises(ConfigError, match="'yes' and 'yes please' share all tokens"):
        p_of_first(scored("yes", (1,), (-1.0,)), scored("yes please", (1, 2), (-1.0, -1.0)))
    with pytest.raises(ConfigError, match="two different words"):
        PTrueCritic(ReplayLM(), answers=("yes", "yes"))


@pytest.mark.parametrize(
    ("error", "failure"),
    [(LMTimeoutError("slow"), "timeout"), (LMContextError("long"), "context"), (LMError("gone"), "error")],
)
def test_a_failing_call_leaves_its_own_action_unscored(turn, actions, error, failure):
    def score(messages, candidate):
        if "| go to desk 1\n\nIs the" in messages[0].content:
            raise error
        return SCORES[candidate]

    good, bad = PTrueCritic(ReplayLM(scores=score)).judge(turn, actions, [[], []])
    assert good.p == pytest.approx(0.25)
    assert (bad.p, bad.failure) == (None, failure)
    assert bad.failure_detail == f"{type(error).__name__}: {error}"
    assert bad.cost.calls == 1


def test_a_model_that_scores_fewer_than_asked_for_is_unparsable(turn):
    class Lazy(ReplayLM):
        def score(self, messages, candidates):
            return super().score(messages, candidates)[:1]

    (verdict,) = PTrueCritic(Lazy(scores=SCORES)).judge(turn, [Action(text="look")], [[]])
    assert (verdict.failure, verdict.cost.calls, verdict.cost.completion_tokens) == ("unparsable", 1, 1)
    assert "asked for 2 replies and gave 1" in verdict.failure_detail


def test_a_prompt_that_is_too_long_is_a_context_failure(turn):
    (verdict,) = PTrueCritic(ReplayLM(scores=SCORES, context_tokens=50)).judge(turn, [Action(text="look")], [[]])
    assert verdict.failure == "context"


def test_the_bank_variant_shows_and_records_two_of_each_polarity(turn, experiences):
    lm = ReplayLM(scores=SCORES)
    critic = bank_ptrue(lm)
    assert (critic.id, critic.recall_k) == ("ptrue", 2)
    (verdict,) = critic.judge(turn, [Action(text="look")], [experiences])
    assert verdict.recalled == ("productive0", "productive1", "unproductive0", "unproductive1")
    assert "| unproductive outcome 1" in lm.calls[0].prompt


def test_without_recall_nothing_is_recorded_as_recalled(turn, experiences):
    (verdict,) = PTrueCritic(ReplayLM(scores=SCORES)).judge(turn, [Action(text="look")], [experiences])
    assert verdict.recalled == ()


def test_the_version_changes_with_whatever_changes_the_judgement():
    lm = ReplayLM()
    critics = [
        PTrueCritic(lm),
        PTrueCritic(lm, recall_k=2),
        PTrueCritic(lm, answers=("good", "bad")),
        PTrueCritic(lm, history_steps=3),
        PTrueCritic(lm, show_admissible=True),
        PTrueCritic(ReplayLM(id="other")),
    ]
    assert len({critic.version for critic in critics}) == len(critics)
    assert PTrueCritic(lm).version == critics[0].version


def test_an_injected_observation_changes_only_quoted_lines():
    def unquoted(observation):
        lm = ReplayLM(scores=SCORES)
        PTrueCritic(lm).judge(Turn(task="t", observation=observation), [Action(text="look")], [[]])
        return [line for line in lm.calls[0].prompt.splitlines() if not line.startswith("| ")]

    assert unquoted(HOSTILE) == unquoted("a room")
