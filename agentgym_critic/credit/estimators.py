"""Advantages of steps. Each function is one published estimator: arrays in, float64 `[steps]` out.

In all of them a group without contrast gives 0 and never NaN, and an episode counts the same
however long it is, unless ``over="steps"`` asks for the rows of all steps.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym_critic.credit.normalise import Scale, leave_one_out, normalised
from agentgym_critic.credit.returns import discounted_returns
from agentgym_critic.credit.rollouts import Floats, Ints, Rollouts
from agentgym_critic.errors import ConfigError

__all__ = ["Over", "gigpo", "grpo", "mc_grpo", "redistributed", "rloo", "shaped_rewards", "step_groups", "turn_critic"]

Over: TypeAlias = Literal["episodes", "steps"]


def grpo(rollouts: Rollouts, *, scale: Scale = "std", over: Over = "episodes") -> Floats:
    """``A = (R - mean R) / (std R + eps)`` over the episodes of a group, the same for all their steps.

    Source: GRPO, Shao et al. 2024 (2402.03300); `scale` ``"none"`` is Dr. GRPO, Liu et al. 2025 (2503.20783).
    ``over="steps"`` takes mean and deviation over the rows of all steps, as verl-agent does; long
    episodes then weigh more.
    """
    returns = rollouts.returns
    if over == "steps":
        return normalised(returns[rollouts.episode], rollouts.step_group, scale=scale)
    return normalised(returns, rollouts.group, scale=scale)[rollouts.episode]


def rloo(rollouts: Rollouts) -> Floats:
    """``A = R - mean R of the group's other episodes``, the same for all steps (Ahmadian et al. 2024, 2402.14740)."""
    return leave_one_out(rollouts.returns, rollouts.group)[rollouts.episode]


def gigpo(
    rollouts: Rollouts,
    anchor: Ints,
    *,
    gamma: float = 0.95,
    weight: float = 1.0,
    scale: Scale = "std",
    over: Over = "episodes",
) -> Floats:
    """``A = A_episode + weight * A_step``: `grpo`, and returns-to-go compared among steps from the same state.

    ``A_step = (G_t - mean G) / (std G + eps)`` over the steps of a group that share an anchor, with
    ``G_t = r_t + gamma * G_{t+1}``; 0 for a state seen once. Source: GiGPO, Feng et al. 2025 (2505.10978).

    Args:
        rollouts: the episodes.
        anchor: `[steps]`; equal numbers are the same state: `group_of` observations, of observations and
            admissible actions, or of state keys.
        gamma: discount of the returns-to-go.
        weight: of the step part.
        scale: as for `normalised`.
        over: as for `grpo`.
    """
    local = normalised(discounted_returns(rollouts, gamma), step_groups(rollouts, anchor), scale=scale)
    return grpo(rollouts, scale=scale, over=over) + weight * local


def turn_critic(rollouts: Rollouts, judged: Floats, *, alpha: float = 0.25, scale: Scale = "std") -> Floats:
    """``A = A_outcome + alpha * A_turn``: `grpo`, and a critic's judgements compared over all turns of the group.

    ``A_turn = (c_t - mean c) / (std c + eps)``. Steps without a judgement (NaN) have no turn part and
    are in no mean. Source: CriticSearch (2511.12159); its equation is not published, this one is ours.
    With any `judged` and `alpha` it is process and outcome, normalised apart and fused.

    Args:
        rollouts: the episodes.
        judged: `[steps]`, for example p of the hindsight critic; NaN where unscored.
        alpha: of the turn part.
        scale: as for `normalised`.
    """
    judged = _per_step("judged", judged, rollouts)
    known = ~np.isnan(judged)
    turn = np.zeros(len(judged))
    turn[known] = normalised(judged[known], rollouts.step_group[known], scale=scale)
    return grpo(rollouts, scale=scale) + alpha * turn


def mc_grpo(values: Floats, taken: Ints, *, scale: Scale = "std") -> Floats:
    """Advantages of several answers to one state, from the Monte-Carlo values of its actions; `[answers]`.

    ``A_i = (Q(s, a_i) - mean Q) / std Q`` over the answers; if all took the same action, over all actions of
    the state: ``(Q - mean_a Q) / std_a Q``. Source: MC-GRPO of ProAct (2602.05327).

    Args:
        values: `Q(s, a)` of every action, `[actions]`.
        taken: the number of the action of each answer, `[answers]`.
        scale: as for `normalised`.
    """
    if len(np.unique(taken)) > 1:
        return normalised(values[taken], np.zeros(len(taken), dtype=np.int64), scale=scale)
    return normalised(values, np.zeros(len(values), dtype=np.int64), scale=scale)[taken]


def redistributed(rollouts: Rollouts, importance: Floats) -> Floats:
    """The return of each episode over its steps, in proportion to their importance: rewards, `[steps]`.

    ``r'_t = R * w_t / sum w``; evenly where all weights of an episode are 0. The return stays the same.
    After Hindsight PRIOR (Verma and Metcalf, ICLR 2024), with a critic's judgement for its attention.

    Args:
        rollouts: the episodes.
        importance: `[steps]`, not negative.
    """
    importance = _per_step("importance", importance, rollouts)
    if not (importance >= 0).all():
        raise ConfigError(f"importance is not negative, got {importance.min()}")
    steps = np.bincount(rollouts.episode, minlength=len(rollouts.group))
    total = np.bincount(rollouts.episode, importance, len(rollouts.group))
    even = (total <= 0)[rollouts.episode]
    share = np.where(even, 1 / np.maximum(steps, 1)[rollouts.episode],
                     importance / np.where(total > 0, total, 1)[rollouts.episode])  # fmt: skip
    return rollouts.returns[rollouts.episode] * share


def shaped_rewards(rollouts: Rollouts, potential: Floats, last: Floats | None = None, *, gamma: float = 1.0) -> Floats:
    """``r'_t = r_t + gamma * phi_{t+1} - phi_t``, which leaves the best policy the best (Ng et al. 1999); `[steps]`.

    Args:
        rollouts: the episodes.
        potential: of the state before each step, `[steps]`.
        last: of the state after each episode's last step, `[episodes]`; None for 0.
        gamma: discount.
    """
    potential = _per_step("potential", potential, rollouts)
    ends = np.zeros(len(rollouts.group)) if last is None else last
    is_last = np.append(rollouts.episode[1:] != rollouts.episode[:-1], True)[: len(potential)]
    following = np.where(is_last, ends[rollouts.episode], np.append(potential[1:], 0.0)[: len(potential)])
    return rollouts.rewards + gamma * following - potential


def step_groups(rollouts: Rollouts, anchor: Ints) -> Ints:
    """Numbers that are equal for steps of one group with one anchor, `[steps]`."""
    anchor = _per_step("anchor", anchor, rollouts)
    _, number = np.unique(np.stack([rollouts.step_group, anchor]), axis=1, return_inverse=True)
    return np.asarray(number, dtype=np.int64).reshape(-1)


def _per_step(name: str, numbers: ArrayLike, rollouts: Rollouts) -> NDArray[Any]:
    array = np.asarray(numbers)
    if array.dtype.kind not in "biuf":
        raise ConfigError(f"{name} holds numbers; got an array of {array.dtype}; number names by group_of")
    if array.shape != rollouts.rewards.shape:
        raise ConfigError(f"{name} has a number for each of {len(rollouts.rewards)} steps; got {array.shape}")
    return array
