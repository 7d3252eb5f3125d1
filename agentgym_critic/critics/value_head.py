"""A small network with one hidden layer, from vectors to probabilities.

Torch trains it; NumPy is enough to ask it. Knows no text and no critic.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.critics.logistic import sigmoid
from agentgym_critic.errors import ConfigError, require
from agentgym_critic.types import Record

__all__ = ["Floats", "HeadSettings", "Weights", "head_p", "train_head"]

Floats: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = dict[str, Floats]
"""``w1`` `[inputs, hidden]`, ``b1`` `[hidden]`, ``w2`` `[hidden]`, ``b2`` `[1]`."""


class HeadSettings(Record, frozen=True):
    """How a head is trained: AdamW on the cross-entropy with soft labels, in minibatches."""

    hidden: int = 64
    epochs: int = 100
    batch: int = 128
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if min(self.hidden, self.epochs, self.batch) < 1 or not self.learning_rate > 0 or self.weight_decay < 0:
            raise ConfigError(
                "hidden, epochs and batch are at least 1, learning_rate is above 0 and weight_decay at least 0; "
                f"got {self}"
            )


def head_p(weights: Weights, x: Floats) -> NDArray[np.float64]:
    """The probability for each row of `x` `[n, inputs]`, float64 `[n]`."""
    hidden = np.tanh(x @ weights["w1"] + weights["b1"])
    return sigmoid((hidden @ weights["w2"] + weights["b2"]).astype(np.float64))


def train_head(x: Floats, y: Floats, settings: HeadSettings) -> Weights:
    """The weights that explain labels in [0, 1] best; the same for the same seed, machine and versions.

    Args:
        x: float32 `[n, inputs]`.
        y: float32 `[n]`.
        settings: of the training.

    Raises:
        MissingExtraError: torch is not installed.
    """
    torch = require("torch", "lm", "training a value model")
    rng = torch.Generator().manual_seed(settings.seed)
    weights = _beginning(torch, rng, x.shape[1], settings.hidden)
    optimizer = torch.optim.AdamW(weights.values(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
    inputs, labels = torch.from_numpy(x), torch.from_numpy(y)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(y), generator=rng).split(settings.batch):
            hidden = torch.tanh(inputs[rows] @ weights["w1"] + weights["b1"])
            loss = loss_of(hidden @ weights["w2"] + weights["b2"], labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {name: weight.detach().numpy() for name, weight in weights.items()}


def _beginning(torch: Any, rng: Any, inputs: int, hidden: int) -> dict[str, Any]:
    """Weights before training; their scale keeps the outputs near 0 (Glorot and Bengio 2010)."""
    first = torch.randn(inputs, hidden, generator=rng) * (2 / (inputs + hidden)) ** 0.5
    last = torch.randn(hidden, generator=rng) * (2 / (hidden + 1)) ** 0.5
    beginning = {"w1": first, "b1": torch.zeros(hidden), "w2": last, "b2": torch.zeros(1)}
    return {name: weight.requires_grad_() for name, weight in beginning.items()}
