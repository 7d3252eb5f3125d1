"""The network of a `TextRanker`: embedded features of situation and action, one score an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agentgym_critic.agents.text_ranker.encoding import Encoded, Ids
from agentgym_critic.agents.text_ranker.heavy import torch
from agentgym_critic.agents.text_ranker.settings import RankerSettings

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ScoreNet"]


class ScoreNet:
    """Sums the embeddings of each bag of features; scores an action by both sums, their product, and its features.

    Args:
        settings: its shape and the seed of its first weights.

    Raises:
        MissingExtraError: torch is not installed.
    """

    def __init__(self, settings: RankerSettings) -> None:
        nn, rows, width = torch.nn, settings.buckets, settings.width
        self.layers = nn.ModuleDict(
            {
                "state": nn.EmbeddingBag(rows, width, mode="sum"),
                "action": nn.EmbeddingBag(rows, width, mode="sum"),
                "single": nn.EmbeddingBag(rows, 1, mode="sum"),
                "state_scale": nn.LayerNorm(width),
                "action_scale": nn.LayerNorm(width),
                "hidden": nn.Linear(3 * width, settings.hidden),
                "score": nn.Linear(settings.hidden, 1, bias=False),
            }
        )
        self._draw(settings.seed)

    def __call__(self, turns: Sequence[Encoded]) -> Tensor:
        """The score of every action of every turn, float32 `[actions of all turns]`."""
        layers = self.layers
        counts = torch.tensor([len(turn.starts) for turn in turns])
        flat, starts = _joined([turn.actions for turn in turns], [turn.starts for turn in turns])
        state = layers["state_scale"](layers["state"](*_bags([turn.state for turn in turns])))
        state = state.repeat_interleave(counts, dim=0)
        action = layers["action_scale"](layers["action"](flat, starts))
        hidden = torch.relu(layers["hidden"](torch.cat([state, action, state * action], dim=1)))
        scores: Tensor = (layers["score"](hidden) + layers["single"](flat, starts)).squeeze(1)
        return scores

    def _draw(self, seed: int) -> None:
        """First weights from a generator of their own: small features, no preference, Glorot's scale between."""
        rng, own = torch.Generator().manual_seed(seed), dict(self.layers.named_parameters())
        with torch.no_grad():
            for name in ("state.weight", "action.weight"):
                own[name].copy_(torch.randn(own[name].shape, generator=rng) * 0.1)
            own["single.weight"].zero_()
            own["hidden.bias"].zero_()
            for name, gain in (("hidden.weight", 1.0), ("score.weight", 0.1)):
                scale = gain * (2 / sum(own[name].shape)) ** 0.5
                own[name].copy_(torch.randn(own[name].shape, generator=rng) * scale)


def _bags(bags: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Bags as one flat tensor and where each begins."""
    return _joined(bags, [np.zeros(1, dtype=np.int32)] * len(bags))


def _joined(flats: Sequence[Ids], starts: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    ends = np.cumsum([0, *map(len, flats[:-1])], dtype=np.int64)
    moved = [own.astype(np.int64) + end for own, end in zip(starts, ends, strict=True)]
    flat = np.concatenate(flats).astype(np.int64)
    return torch.from_numpy(flat), torch.from_numpy(np.concatenate(moved))
