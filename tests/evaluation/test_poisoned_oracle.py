"""E1's data flow with an oracle that lies: what hindsight, banks, critics and prompts hold is the same."""

import io

import msgspec
import pytest

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import (
    CounterfactualCritic,
    OutcomeHindsightCritic,
    PTrueCritic,
    RuleCritic,
    bank_fusion,
    bank_kernel,
    bank_lm,
)
from agentgym_critic.critics.bank import bank_traits
from agentgym_critic.critics.pooled import PooledHindsightCritic
from agentgym_critic.envs.toytext.frozen_lake import FrozenLakeEnv
from agentgym_critic.evaluation import VerdictLog, judge_stream, true_labels
from agentgym_critic.lm import ReplayLM
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Oracle, to_json

POISON = "xyzzy-privileged"


def flow():
    """What critics said and were shown, what the bank holds, and the truth, over a short stream."""
    env, second = (
        make_env("agentgym_critic/FrozenLake-v0", map="random", size=4, is_slippery=False, max_steps=8)
        for _ in range(2)
    )
    hindsight = PooledHindsightCritic(
        [OutcomeHindsightCritic(), CounterfactualCritic(lambda: second, rollouts=4, horizon=8, by="pace")]
    )
    played = [run_episode(env, RandomAgent(), seed=seed, hindsight=hindsight) for seed in range(4)]
    stream = [msgspec.structs.replace(each, id=f"t{number}") for number, each in enumerate(played)]
    lm = ReplayLM(scores=lambda messages, candidate: -0.1 * len(candidate))
    critics = {
        "rules": RuleCritic(),
        "kernel": bank_kernel(),
        "traits": bank_traits(),
        "P(True)": PTrueCritic(lm),
        "bank-lm": bank_lm(lm),
        "fusion": bank_fusion(lm),
    }
    with MemoryBank(":memory:") as bank, VerdictLog() as log:
        said = [
            (name, place, [(each.p, each.critique, each.dimensions, each.recalled) for each in verdicts])
            for name, place, _, verdicts in judge_stream(stream, critics, log, bank=bank)
        ]
        exported = io.StringIO()
        bank.export_jsonl(exported)
    reviews = [[(step.hindsight.p, step.hindsight.votes) for step in each.steps] for each in played]
    learnt = [line for line in exported.getvalue().splitlines() if POISON in line]
    assert POISON.encode() not in to_json([step.hindsight for each in played for step in each.steps])
    prompts = repr([call.messages for call in lm.calls])
    return (said, reviews, prompts), learnt, [true_labels(env, each) for each in played]


def test_no_oracle_value_reaches_a_critic_a_bank_or_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, _, truth = flow()
    monkeypatch.setattr(
        FrozenLakeEnv, "oracle", lambda self: Oracle(actions=(POISON,), steps_left=1, exact=True, certain=True)
    )
    poisoned, learnt, lies = flow()
    assert poisoned == honest
    assert not learnt
    assert POISON not in repr(poisoned)
    assert lies != truth  # the poison is real: it changes what only the measurement may see
