"""`LMRanker`: the model's scores, and what is picked by them."""

import math

import msgspec
import pytest
from worlds import CorridorEnv

from agentgym_critic.agents import LMRanker, ProposesAlternatives
from agentgym_critic.errors import AgentError, ConfigError, LMContextError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Cost, Exchange, Turn

NOW = Turn(task="Leave.", observation="A hall.", admissible_actions=("go far to the north", "look", "wait"))
SCORES = {"go far to the north": -5.0, "look": -1.5, "wait": -3.0}  # a token: -1.0, -1.5, -3.0


def test_the_mean_does_not_punish_long_actions_and_the_sum_does():
    lm = ReplayLM(scores=SCORES)
    assert LMRanker(lm).propose(NOW).text == "go far to the north"
    assert LMRanker(lm, normalize="sum").propose(NOW).text == "look"


def test_the_action_keeps_its_tokens_and_the_cost_of_the_call():
    lm = ReplayLM(scores=SCORES)
    action = LMRanker(lm).propose(NOW)
    assert len(action.token_ids) == 5
    assert action.logprobs == (-1.0,) * 5
    assert action.raw == action.text
    prompt_tokens = lm.count_tokens(lm.calls[0].messages)
    assert action.cost == Cost(calls=1, prompt_tokens=prompt_tokens, completion_tokens=7, seconds=action.cost.seconds)
    assert action.cost.seconds > 0
    assert lm.calls[0].candidates == NOW.admissible_actions


def test_a_server_that_tells_no_ids_still_ranks():
    class NoIds(ReplayLM):
        def score(self, messages, candidates):
            return [msgspec.structs.replace(scored, token_ids=()) for scored in super().score(messages, candidates)]

    action = LMRanker(NoIds(scores=SCORES)).propose(NOW)
    assert action.text == "go far to the north"
    assert (action.token_ids, action.logprobs) == ((), ())
    assert action.cost.completion_tokens == 7


def test_alternatives_are_the_best_in_order_and_paid_once():
    actions = LMRanker(ReplayLM(scores=SCORES)).propose_alternatives(NOW, 2)
    assert [action.text for action in actions] == ["go far to the north", "look"]
    assert [action.cost.calls for action in actions] == [1, 0]
    assert len(LMRanker(ReplayLM(scores=SCORES)).propose_alternatives(NOW, 9)) == 3
    assert isinstance(LMRanker(ReplayLM()), ProposesAlternatives)


def test_equal_scores_keep_the_listed_order():
    agent = LMRanker(ReplayLM(scores=lambda messages, candidate: 0.0))
    assert [action.text for action in agent.propose_alternatives(NOW, 3)] == list(NOW.admissible_actions)


def test_repeated_actions_are_scored_once():
    lm = ReplayLM(scores=SCORES)
    LMRanker(lm).propose(msgspec.structs.replace(NOW, admissible_actions=("look", "wait", "look")))
    assert lm.calls[0].candidates == ("look", "wait")


def test_rejected_actions_are_left_out_and_the_critique_is_told():
    lm = ReplayLM(scores=SCORES)
    advised = msgspec.structs.replace(NOW, advice="Too far.", rejected=("go far to the north",))
    assert LMRanker(lm).propose(advised).text == "look"
    assert "Too far." in lm.calls[0].messages[-1].content
    all_rejected = msgspec.structs.replace(advised, rejected=NOW.admissible_actions)
    assert LMRanker(lm).propose(all_rejected).text == "go far to the north"


def test_sampling_follows_the_softmax_and_the_seed():
    agent = LMRanker(ReplayLM(scores=SCORES), temperature=1.0)

    def draws(seeds):
        picked = []
        for seed in seeds:
            agent.reset(seed)
            picked.append(agent.propose(NOW).text)
        return picked

    picked = draws(range(3_000))
    weights = {text: math.exp(score) for text, score in (("go far to the north", -1.0), ("look", -1.5), ("wait", -3.0))}
    for text, weight in weights.items():
        assert picked.count(text) / 3_000 == pytest.approx(weight / sum(weights.values()), abs=0.03)
    assert picked[:50] == draws(range(50))


def test_a_turn_played_again_is_sampled_alike():
    agent = LMRanker(ReplayLM(scores=lambda messages, candidate: -1.0), temperature=1.0)
    turns = [msgspec.structs.replace(NOW, index=index) for index in range(60)]
    first = [agent.propose(turn).text for turn in turns]
    assert len(set(first)) == 3
    assert [agent.propose(turn).text for turn in reversed(turns)] == first[::-1]


def test_actions_that_cannot_be_listed_are_an_error():
    with pytest.raises(AgentError, match=r"agent lm-rank\(replay, .* cannot list them \(step 0\); .* for example 'lm'"):
        LMRanker(ReplayLM()).propose(msgspec.structs.replace(NOW, admissible_actions=None))


def test_scores_that_are_no_numbers_are_an_error_and_name_the_action():
    lm = ReplayLM(scores=lambda messages, candidate: math.nan if candidate == "look" else -1.0)
    with pytest.raises(AgentError, match=r"replay gave the action 'look' the log-probabilities \(nan,\)"):
        LMRanker(lm).propose(NOW)


def test_the_oldest_steps_are_dropped_and_that_is_recorded():
    history = tuple(Exchange(observation=f"room {index} " * 10, action="look") for index in range(20))
    lm = ReplayLM(scores=SCORES, context_tokens=300)
    action = LMRanker(lm).propose(msgspec.structs.replace(NOW, history=history, index=20))
    assert action.dropped_turns == 10
    assert "Leave." in lm.calls[0].prompt


def test_a_turn_that_does_not_fit_is_an_error():
    with pytest.raises(LMContextError, match="the current turn alone takes"):
        LMRanker(ReplayLM(scores=SCORES, context_tokens=20)).propose(NOW)


def test_the_id_carries_model_and_settings():
    lm = ReplayLM(id="tiny")
    assert LMRanker(lm, normalize="sum", temperature=2).id.startswith(
        "lm-rank(tiny, normalize=sum, temperature=2, prompts="
    )
    assert LMRanker(lm).id != LMRanker(lm, system="{{task}}").id


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"normalize": "max"}, "normalize is 'mean' or 'sum', got 'max'"),
        ({"temperature": -0.1}, "temperature is at least 0, got -0.1"),
        ({"temperature": math.nan}, "temperature is at least 0, got nan"),
        ({"system": "{{form}}"}, r"the system prompt has the places \['task'\], got one with \['form'\]"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        LMRanker(ReplayLM(), **settings)


@pytest.mark.model
def test_with_a_real_model(smollm2):
    many = tuple(f"take object {number} from shelf {number % 7}" for number in range(40))
    actions = LMRanker(smollm2).propose_alternatives(msgspec.structs.replace(NOW, admissible_actions=many), 40)
    assert {action.text for action in actions} == set(many)
    assert all(len(action.logprobs) == len(action.token_ids) > 0 for action in actions)
    means = [sum(action.logprobs) / len(action.logprobs) for action in actions]
    assert means == sorted(means, reverse=True)
    assert all(mean < 0 for mean in means)


@pytest.mark.model
def test_a_real_model_in_the_loop(smollm2):
    trajectory = run_episode(CorridorEnv(max_steps=2), LMRanker(smollm2), seed=1)
    assert not any(step.invalid_action for step in trajectory.steps)
    again = run_episode(CorridorEnv(max_steps=2), LMRanker(smollm2), seed=1)
    assert [step.action.text for step in again.steps] == [step.action.text for step in trajectory.steps]
