"""Which seed a call to a language model gets."""

from __future__ import annotations

import numpy as np

from agentgym_critic.types import Turn

__all__ = ["call_seed"]


def call_seed(seed: int, turn: Turn, attempt: int = 0) -> int:
    """A 31-bit seed for one call, of the episode's seed and the place in the episode alone.

    A turn that is played again, after an undo for example, gets the same seed again.
    """
    entropy = np.random.SeedSequence([seed, turn.index, len(turn.rejected), attempt])
    return int(entropy.generate_state(1)[0] >> 1)
