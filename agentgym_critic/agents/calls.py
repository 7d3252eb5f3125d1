"""What a call to a language model costs and which seed it gets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentgym_critic.lm.base import Completion, ScoredText
from agentgym_critic.types import Cost, Turn

__all__ = ["call_cost", "call_seed"]


def call_cost(replies: Sequence[Completion] | Sequence[ScoredText]) -> Cost:
    """The cost of one call, all of its replies together; the prompt is counted once."""
    return Cost(
        calls=1,
        prompt_tokens=replies[0].prompt_tokens if replies else 0,
        completion_tokens=sum(len(reply.token_ids) for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
    )


def call_seed(seed: int, turn: Turn, attempt: int = 0) -> int:
    """A 31-bit seed for one call, of the episode's seed and the place in the episode alone.

    A turn that is played again, after an undo for example, gets the same seed again.
    """
    entropy = np.random.SeedSequence([seed, turn.index, len(turn.rejected), attempt])
    return int(entropy.generate_state(1)[0] >> 1)
