"""Change advantages by how sure the policy was, or by what kind of tokens a step has. Arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.credit.rollouts import Floats, Rollouts
from agentgym_critic.errors import ConfigError

__all__ = ["empg", "hicra"]

EPS = 1e-8


def empg(rollouts: Rollouts, advantages: Floats, entropy: Floats, *, k: float = 1.0, zeta: float = 0.1) -> Floats:
    """Entropy-modulated policy gradients (EMPG, 2509.09265): sure steps count more, and clear next states are sought.

    With the entropies scaled to [0, 1] over the batch, ``g_t = exp(-k H_t) / mean exp(-k H)`` and
    ``f_t = exp(-k H_{t+1})`` (none after the last step), ``A'_t = A_t * g_t + zeta * f_t``, less the mean of the batch.

    Args:
        rollouts: the episodes.
        advantages: `[steps]`.
        entropy: mean entropy of the tokens of each step, in nats, `[steps]`.
        k: how much entropy counts.
        zeta: weight of the clarity of the next step.

    Raises:
        ConfigError: the lengths differ, or an entropy is not finite.
    """
    if not advantages.shape == entropy.shape == rollouts.rewards.shape or not np.isfinite(entropy).all():
        raise ConfigError(
            f"an advantage and a finite entropy for each of {len(rollouts.rewards)} steps; got {advantages.shape} and "
            f"{entropy.shape}"
        )
    if not len(entropy):
        return advantages
    scaled = (entropy - entropy.min()) / (entropy.max() - entropy.min() + EPS)
    sure = np.exp(-k * scaled)
    follows = np.append(rollouts.episode[1:] == rollouts.episode[:-1], False)
    clear = np.where(follows, np.append(sure[1:], 0.0), 0.0)
    changed = advantages * sure / sure.mean() + zeta * clear
    return np.asarray(changed - changed.mean())


def hicra(advantages: Floats, planning: NDArray[np.bool_], *, alpha: float = 0.2) -> Floats:
    """``A' = A + alpha * |A|`` where the policy plans: gains by a good plan grow, losses by a bad one shrink.

    Source: HICRA (2509.03646), there for tokens; here for whatever `advantages` are of.

    Args:
        advantages: `[n]`.
        planning: which of them belong to planning, bool `[n]`.
        alpha: how much.
    """
    if advantages.shape != planning.shape:
        raise ConfigError(f"a flag for each advantage; got {planning.shape} for {advantages.shape}")
    return advantages + np.where(planning, alpha * np.abs(advantages), 0.0)
