"""What is privileged reaches no prompt, no verdict and no experience."""

from __future__ import annotations

import io
from typing import Any

from worlds import CorridorEnv

from agentgym_critic.agents import LMAgent, LMRanker
from agentgym_critic.critics import (
    LMHindsightCritic,
    OutcomeHindsightCritic,
    PTrueCritic,
    RuleCritic,
    VerbalizedCritic,
)
from agentgym_critic.lm import ReplayLM
from agentgym_critic.loop import run_episode
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Oracle, to_json

POISON = "xyzzy-privileged"


class PoisonedEnv(CorridorEnv):
    """A corridor in which everything privileged carries a mark."""

    def oracle(self) -> Oracle:
        raise AssertionError("nobody here may ask the oracle")

    def _state_key(self) -> str:
        return f"{POISON}:{self.cell}"

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "deadlock": POISON, "walkthrough": [POISON]}


def test_prompts_verdicts_and_the_bank_hold_nothing_privileged() -> None:
    lm = ReplayLM(
        replies=lambda messages: 'Thought: go on.\nAction: right\n{"reason": "fine", "confidence": 70}',
        scores=lambda messages, candidate: -float(len(candidate)),
    )
    critics = [PTrueCritic(lm, recall_k=1), VerbalizedCritic(lm, recall_k=1), RuleCritic()]
    reviewers = [OutcomeHindsightCritic(), LMHindsightCritic(lm)]
    with MemoryBank(":memory:") as bank:
        for agent in (LMAgent(lm), LMRanker(lm)):
            for critic in critics:
                for hindsight in reviewers:
                    trajectory = run_episode(
                        PoisonedEnv(max_steps=4), agent, seed=1, critic=critic, hindsight=hindsight, bank=bank
                    )
                    bank.remember(trajectory)
                    verdicts = [(step.verdict, step.hindsight) for step in trajectory.steps]
                    assert POISON.encode() not in to_json(verdicts)
                    assert POISON in trajectory.steps[0].state_key  # the store may know it
        exported = io.StringIO()
        bank.export_jsonl(exported)
    assert lm.calls
    assert POISON not in repr(lm.calls)
    assert POISON not in exported.getvalue()
