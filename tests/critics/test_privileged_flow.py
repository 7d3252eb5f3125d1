"""What a hindsight critic is told in confidence reaches it alone: the whole path of the data, poisoned."""

from __future__ import annotations

import io
import json
import re

import pytest
from worlds import CorridorEnv

from agentgym_critic.agents import LMAgent, LMRanker
from agentgym_critic.critics import (
    EnsembleCritic,
    PTrueCritic,
    RetrospectiveCritic,
    SolverSolution,
    StackedCritic,
    VerbalizedCritic,
    bank_fusion,
)
from agentgym_critic.lm import ReplayLM
from agentgym_critic.loop import run_episode
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Oracle, to_json

POISON = "xyzzy-privileged"


def told(trajectory):
    return f"the answer is {POISON}"


class PoisonedEnv(CorridorEnv):
    """A corridor whose solver names a way that nobody else could know."""

    def oracle(self):
        return Oracle(actions=(f"right {POISON}",), steps_left=1)

    def _read(self, action):
        return str(action).removesuffix(f" {POISON}")


def player():
    """The one model of agent and pre-operative critics: it repeats all that it reads."""
    return ReplayLM(
        lambda messages: f'{messages[-1].content[-200:]}\nAction: right\n{{"reason": "fine", "confidence": 70}}',
        scores=lambda messages, candidate: -float(len(candidate)),
        context_tokens=100_000,
    )


def betrayer(messages):
    """A reviewer that writes the secret wherever it can."""
    first, last = re.findall(r"Judge the steps (\d+) to (\d+)", messages[0].content)[-1]
    numbers = range(int(first), int(last) + 1)
    steps = [
        {"step": n, "label": "productive" if n % 2 else "unproductive", "reason": POISON, POISON: POISON}
        for n in numbers
    ]
    return f"{POISON} {json.dumps({'steps': steps, POISON: 1})}"


def unreadable(messages):
    return json.dumps({"steps": [{"step": 1, "label": POISON}]})


@pytest.mark.parametrize("reviewer", [betrayer, unreadable, lambda messages: POISON])
@pytest.mark.parametrize("privileged", [told, SolverSolution(PoisonedEnv)])
def test_the_secret_reaches_no_actor_no_critic_no_bank_and_no_export(reviewer, privileged):
    lm, judge = player(), ReplayLM(reviewer, context_tokens=100_000)
    hindsight = RetrospectiveCritic(judge, privileged)
    critics = [
        VerbalizedCritic(lm, recall_k=2),
        EnsembleCritic([PTrueCritic(lm, recall_k=1), VerbalizedCritic(lm)]),
        bank_fusion(lm),
    ]
    kept = []
    with MemoryBank(":memory:") as bank:
        for agent in (LMAgent(lm), LMRanker(lm)):
            for critic in critics:
                now = critic
                for _ in range(2):
                    trajectory = run_episode(
                        PoisonedEnv(max_steps=4), agent, seed=1, critic=now, hindsight=hindsight, bank=bank
                    )
                    bank.remember(trajectory)
                    kept.append(trajectory)
                    now = now.learned(trajectory) if isinstance(now, StackedCritic) else now
        remembered = bank.stats().experiences
        exported = io.StringIO()
        bank.export_jsonl(exported)
    assert POISON in repr(judge.calls)  # the reviewer was told
    assert (remembered > 0) is (reviewer is betrayer)  # and what it said was learnt
    assert POISON not in repr(lm.calls)
    assert POISON not in exported.getvalue()
    assert POISON.encode() not in to_json(kept)


def test_the_test_can_fail():
    """With reasons kept, the secret is in the verdicts: then they are not for any player."""
    hindsight = RetrospectiveCritic(ReplayLM(betrayer, context_tokens=100_000), told, keep_reasons=True)
    trajectory = run_episode(CorridorEnv(max_steps=4), LMAgent(player()), seed=1, hindsight=hindsight)
    assert POISON.encode() in to_json(trajectory)
