"""What a critic gets to read from the bank for a proposal."""

from __future__ import annotations

from agentgym_critic.critics.base import PreCritic
from agentgym_critic.memory.bank import MemoryBank
from agentgym_critic.types import Action, Experience, Turn

__all__ = ["recalled_for"]


def recalled_for(
    critic: PreCritic, bank: MemoryBank | None, turn: Turn, action: Action, before: int | None
) -> list[Experience]:
    """The experiences for one proposal; none without a bank, or for a critic that asks for none.

    Args:
        critic: says how many it wants and, in an attribute ``recall_by``, how they are found.
        bank: where they are.
        turn: where the action would be taken.
        action: the proposal.
        before: only what was remembered from trajectories at earlier stream positions; None for all.
    """
    if not bank or not critic.recall_k:
        return []
    by_chance = getattr(critic, "recall_by", "similarity") == "chance"
    recall = bank.recall_by_chance if by_chance else bank.recall
    return recall(turn, action, critic.recall_k, before=before)
