import json

import pytest
from worlds import CorridorEnv

from agentgym_critic import make_env, registry, run_episode
from agentgym_critic.critics import RetrospectiveCritic, SolverSolution
from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, CriticError, EnvError, LMError, LMTimeoutError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Cost

GOLD = "the gold answer is xyzzy"


def labels(letters, reason="so"):
    words = {"p": "productive", "u": "unproductive"}
    return json.dumps({"steps": [{"step": i + 1, "label": words[c], "reason": reason} for i, c in enumerate(letters)]})


def critic(lm, **settings):
    return RetrospectiveCritic(lm, lambda trajectory: GOLD, **settings)


def test_one_call_shows_the_solution_and_all_steps(walk):
    lm = ReplayLM([labels("pup")])
    verdicts = critic(lm).review(walk("abcd"))
    assert [verdict.p for verdict in verdicts] == [1, 0, 1]
    assert [verdict.cost.calls for verdict in verdicts] == [1, 0, 0]
    (call,) = lm.calls
    assert f"| {GOLD}" in call.prompt
    assert all(f"| go {state}" in call.prompt for state in "bcd")


def test_all_verdicts_are_marked_as_privileged(walk):
    for reply in (labels("pu"), "no"):
        verdicts = critic(ReplayLM([reply] * 2)).review(walk("abc"))
        assert [verdict.dimensions for verdict in verdicts] == [{"privileged": 1.0}] * 2


@pytest.mark.parametrize(
    "reply",
    [
        labels("pu", GOLD),
        json.dumps({"steps": [{"step": 1, "label": GOLD}]}),
        json.dumps({"steps": [{"step": 1, "label": "productive", GOLD: 1, "reason": 3}]}),
        GOLD,
        LMError(f"the server refused: {GOLD}"),
    ],
)
def test_what_it_was_told_stays_with_it(walk, reply):
    verdicts = critic(ReplayLM([reply] * 2)).review(walk("abc"))
    assert "xyzzy" not in repr(verdicts)


def test_reasons_are_kept_on_request(walk):
    verdicts = critic(ReplayLM([labels("pu", GOLD)]), keep_reasons=True).review(walk("abc"))
    assert [verdict.critique for verdict in verdicts] == [GOLD] * 2
    (verdict,) = critic(ReplayLM([labels("u"), LMError(GOLD)]), keep_reasons=True).review(walk("ab"))
    assert (verdict.label, verdict.failure) == ("unproductive", None)


@pytest.mark.parametrize(
    ("replies", "failure", "detail", "calls"),
    [
        (["no", "no"], "unparsable", "UnreadableReplyError", 2),
        (["", ""], "empty", "UnreadableReplyError", 2),
        ([labels("p")] * 2, "wrong_count", "UnreadableReplyError", 2),
        ([labels("pu")[:-3]] * 2, "unparsable", "UnreadableReplyError", 2),
        ([labels("pu") + labels("up")] * 2, "unparsable", "UnreadableReplyError", 2),
        (["x" * 100_001] * 2, "unparsable", "UnreadableReplyError", 2),
        ([LMTimeoutError("slow")], "timeout", "LMTimeoutError", 1),
        ([LMError("connection refused")], "error", "LMError", 1),
    ],
)
def test_bad_replies_are_unscored_with_their_class_after_one_retry(walk, replies, failure, detail, calls):
    lm = ReplayLM(replies)
    verdicts = critic(lm).review(walk("abc"))
    assert [(v.p, v.failure, v.failure_detail) for v in verdicts] == [(None, failure, detail)] * 2
    assert [verdict.cost.calls for verdict in verdicts] == [calls, 0]
    assert len(lm.calls) == calls


def test_an_echo_of_the_prompt_is_no_answer(walk):
    verdicts = critic(ReplayLM(lambda messages: messages[0].content)).review(walk("abc"))
    assert {verdict.failure for verdict in verdicts} == {"unparsable"}


@pytest.mark.parametrize("text", [HOSTILE, labels("pp")])
def test_neither_the_world_nor_the_solution_can_pass_for_a_verdict(walk, text):
    trajectory = walk("abc", observation={0: text}, next_observation={1: text})
    lm = ReplayLM([labels("uu")])
    verdicts = RetrospectiveCritic(lm, lambda trajectory: text).review(trajectory)
    assert [verdict.p for verdict in verdicts] == [0, 0]
    assert "<|im_end|>" not in lm.calls[0].prompt


def test_a_solution_that_cannot_be_had_costs_nothing(walk):
    def broken(trajectory):
        raise KeyError(GOLD)

    lm = ReplayLM()
    verdicts = RetrospectiveCritic(lm, broken).review(walk("abc"))
    assert [(v.failure, v.failure_detail, v.cost) for v in verdicts] == [("error", "KeyError", Cost())] * 2
    assert lm.calls == []


def test_the_version_tells_settings_and_source():
    lm = ReplayLM()
    versions = [critic(lm, **one).version for one in ({}, {"keep_reasons": True}, {"seed": 1}, {"retries": 0})]
    assert len({*versions, RetrospectiveCritic(lm).version}) == 5
    with pytest.raises(ConfigError, match="retries is at least 0"):
        critic(lm, retries=-1)


def played(env, agent="oracle", seed=3):
    return run_episode(env, registry.make("agent", agent), seed=seed)


def test_the_solvers_way_is_written_down():
    trajectory = played(CorridorEnv(), "random", seed=0)
    start = int(trajectory.steps[0].observation.split()[-1].strip("."))
    way = SolverSolution(CorridorEnv)(trajectory)
    assert way == "\n".join(f"{number}. right" for number in range(1, 6 - start))


def test_the_solvers_way_by_the_id_of_the_environment_and_by_the_attached_one():
    trajectory = played(make_env("agentgym_critic/Sokoban-v0"), "random")
    expert = played(make_env("agentgym_critic/Sokoban-v0"))
    by_id = SolverSolution()(trajectory)
    assert [line.partition(". ")[2] for line in by_id.splitlines()] == [step.action.text for step in expert.steps]
    lm = ReplayLM(lambda messages: labels("p" * len(trajectory.steps)), context_tokens=10**6)
    own = attached(RetrospectiveCritic(lm), make_env("agentgym_critic/Sokoban-v0").unwrapped)
    assert {verdict.p for verdict in own.review(trajectory)} == {1.0}
    assert all(line in lm.calls[0].prompt for line in by_id.splitlines())


def test_another_world_is_refused():
    solution = SolverSolution(lambda: CorridorEnv(length=9))
    with pytest.raises(EnvError, match="trajectory episode cannot be played again: after 0 steps the state is another"):
        solution(played(CorridorEnv()))
    (verdict, *_) = RetrospectiveCritic(ReplayLM(), solution).review(played(CorridorEnv()))
    assert "the state is another; make the environment with the version and settings of" in verdict.failure_detail


def test_a_world_without_a_solver_is_refused():
    class Unsolved(CorridorEnv):
        def oracle(self):
            return None

    with pytest.raises(CriticError, match=r"Corridor.* has no solver, or it knows no way from here; give a function"):
        SolverSolution(Unsolved)(played(CorridorEnv()))


def test_a_solver_that_does_not_arrive_is_refused():
    trajectory = played(CorridorEnv(length=40), "random")
    with pytest.raises(CriticError, match="did not succeed in 2 steps; give a function of the trajectory"):
        SolverSolution(lambda: CorridorEnv(length=40), max_steps=2)(trajectory)
