"""What is still to come: discounted returns, temporal differences, and values mixed from two sources."""

from __future__ import annotations

import numpy as np

from agentgym_critic.credit.rollouts import Floats, Rollouts
from agentgym_critic.errors import ConfigError

__all__ = ["discounted_returns", "gae", "mixed_values"]


def discounted_returns(rollouts: Rollouts, gamma: float = 1.0) -> Floats:
    """``G_t = r_t + gamma * G_{t+1}``, 0 after the last step of an episode; `[steps]`.

    Raises:
        ConfigError: `gamma` is not in [0, 1].
    """
    _require_share("gamma", gamma)
    return _backwards(rollouts, rollouts.rewards, gamma)


def gae(
    rollouts: Rollouts,
    values: Floats,
    *,
    gamma: float = 1.0,
    lam: float = 0.95,
    last_values: Floats | None = None,
) -> Floats:
    """Generalised advantage estimation (Schulman et al. 2016); `[steps]`.

    ``delta_t = r_t + gamma * V_{t+1} - V_t`` and ``A_t = delta_t + gamma * lam * A_{t+1}``, within an episode.

    Args:
        rollouts: the episodes.
        values: `V_t` of the state before each step, `[steps]`.
        gamma: discount.
        lam: 0 trusts the values, 1 the rewards.
        last_values: of the state after each episode's last step, `[episodes]`, for those that were cut
            off; None for 0.

    Raises:
        ConfigError: a number is out of range or a length does not fit.
    """
    _require_share("gamma", gamma)
    _require_share("lam", lam)
    ends = np.zeros(len(rollouts.group)) if last_values is None else np.asarray(last_values, dtype=np.float64)
    if values.shape != rollouts.rewards.shape or ends.shape != rollouts.group.shape:
        raise ConfigError(
            f"a value for each of {len(rollouts.rewards)} steps and of {len(rollouts.group)} ends; got {values.shape} "
            f"and {ends.shape}"
        )
    last = _is_last(rollouts)
    following = np.where(last, ends[rollouts.episode], np.append(values[1:], 0.0))
    return _backwards(rollouts, rollouts.rewards + gamma * following - values, gamma * lam)


def mixed_values(learnt: Floats, rolled_out: Floats, share: float) -> Floats:
    """``(1 - share) * V_learnt + share * V_rolled_out``: the values of ProAct's MC-PPO (2602.05327).

    Raises:
        ConfigError: `share` is not in [0, 1].
    """
    _require_share("share", share)
    return (1 - share) * learnt + share * rolled_out


def _backwards(rollouts: Rollouts, x: Floats, decay: float) -> Floats:
    """``y_t = x_t + decay * y_{t+1}`` within each episode."""
    y, last, carried = np.empty(len(x)), _is_last(rollouts), 0.0
    for step in range(len(x) - 1, -1, -1):
        carried = x[step] + (0.0 if last[step] else decay * carried)
        y[step] = carried
    return y


def _is_last(rollouts: Rollouts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.append(rollouts.episode[1:] != rollouts.episode[:-1], True)[: len(rollouts.episode)]


def _require_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} is in [0, 1], got {value!r}")
