"""`Learner`: a ranker and the optimizer that changes it. Knows no data and no environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from agentgym_critic.agents.text_ranker import TextRanker
from agentgym_critic.agents.text_ranker.heavy import torch
from agentgym_critic.errors import ConfigError, TrainingError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Learner", "minibatches"]

T = TypeVar("T")

_PREFIX = "optimizer."


class Learner:
    """Steps down losses with Adam and clipped gradients.

    Args:
        ranker: what is trained, in place.
        learning_rate: of Adam.
        most_gradient: norm above which gradients are scaled down.

    Raises:
        ConfigError: a setting is out of range.
    """

    def __init__(self, ranker: TextRanker, *, learning_rate: float = 2e-3, most_gradient: float = 5.0) -> None:
        if not 0 < learning_rate < np.inf or not most_gradient > 0:
            raise ConfigError(f"learning_rate and most_gradient are above 0, got {learning_rate} and {most_gradient}")
        self.ranker, self._most = ranker, most_gradient
        self._optimizer = torch.optim.Adam(ranker.network.layers.parameters(), lr=learning_rate, fused=True)

    @property
    def learning_rate(self) -> float:
        """Of the next step."""
        return float(self._optimizer.param_groups[0]["lr"])

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self._optimizer.param_groups[0]["lr"] = rate

    def descend(self, loss: Tensor) -> float:
        """One step down; the loss as it was.

        Raises:
            TrainingError: the loss or its gradient is not finite; the weights are as they were.
        """
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.ranker.network.layers.parameters(), self._most)
        if not (torch.isfinite(loss) and torch.isfinite(norm)):
            raise TrainingError(
                f"the loss is {loss.item()} and the norm of its gradient {norm.item()}; the weights are as before this "
                "step. Lower the learning rate, or look for advantages and weights that are out of range"
            )
        self._optimizer.step()
        return float(loss.item())

    def tensors(self) -> dict[str, Tensor]:
        """Weights and the optimizer's memory, by name."""
        memory: dict[int, dict[str, Any]] = self._optimizer.state_dict()["state"]
        kept = {f"{_PREFIX}{row}.{name}": value for row, own in memory.items() for name, value in own.items()}
        return {**self.ranker.tensors(), **{name: value.detach().contiguous() for name, value in kept.items()}}

    def load_tensors(self, tensors: dict[str, Tensor], where: str) -> None:
        """Take what `tensors` gave.

        Raises:
            ConfigError: it is of another model; nothing has changed.
        """
        self.ranker.load_tensors(tensors, where)
        state = self._optimizer.state_dict()
        state["state"] = {}
        for key in filter(lambda key: key.startswith(_PREFIX), tensors):
            row, _, name = key.removeprefix(_PREFIX).partition(".")
            state["state"].setdefault(int(row), {})[name] = tensors[key]
        self._optimizer.load_state_dict(state)


def minibatches(rows: Sequence[T], size: int, rng: np.random.Generator, use: Callable[[list[T]], float]) -> float:
    """Give all rows to `use` in random batches of one size, the last one smaller; the mean of what it returns."""
    order = rng.permutation(len(rows))
    batches = [order[start : start + size] for start in range(0, len(rows), size)]
    return float(np.mean([use([rows[place] for place in batch]) for batch in batches]))
