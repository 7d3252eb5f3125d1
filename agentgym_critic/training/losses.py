"""Losses of a policy over listed actions. Log-probabilities in, one number out; nothing here knows a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.agents.text_ranker.heavy import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["clipped_gradient_loss", "cross_entropy", "dpo_loss", "entropy"]


def cross_entropy(log_chances: list[Tensor], targets: list[Tensor], weights: Tensor) -> Tensor:
    """``-sum_i w_i sum_a q_i(a) log p_i(a) / sum_i w_i``: the weighted mean over turns.

    Args:
        log_chances: `[actions]` for each turn.
        targets: `q`, likewise.
        weights: `[turns]`, not all 0.
    """
    wanted = torch.stack([(own * target).sum() for own, target in zip(log_chances, targets, strict=True)])
    return -(weights * wanted).sum() / weights.sum()


def clipped_gradient_loss(chosen: Tensor, before: Tensor, advantages: Tensor, low: float, high: float) -> Tensor:
    """``-mean min(r A, clip(r, 1 - low, 1 + high) A)`` with ``r = p / p_before``.

    Source: PPO, Schulman et al. 2017 (1707.06347); bounds of their own for either side are DAPO's, Yu et al. 2025
    (2503.14476).

    Args:
        chosen: log-probability of each chosen action, `[steps]`.
        before: the same when it was chosen.
        advantages: `[steps]`.
        low: how far a ratio may fall.
        high: how far it may rise.
    """
    ratio = (chosen - before).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages).mean()


def entropy(log_chances: list[Tensor]) -> Tensor:
    """``-sum_a p(a) log p(a)``, the mean over turns, in nats."""
    return torch.stack([-(own.exp() * own).sum() for own in log_chances]).mean()


def dpo_loss(margin: Tensor, beta: float) -> Tensor:
    """``-mean log sigmoid(beta * margin)``, with ``margin = (good - good_before) - (bad - bad_before)``.

    Source: DPO, Rafailov et al. 2023 (2305.18290); over whole trajectories ETO, Song et al. 2024 (2403.02502).

    Args:
        margin: `[pairs]`, of the log-probabilities (of an action, or the sum over a trajectory) of what is preferred
            and of the other, each less what it was under the reference policy.
        beta: how strongly to leave the reference.
    """
    return -torch.nn.functional.logsigmoid(beta * margin).mean()
