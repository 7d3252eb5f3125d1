"""Where metrics go: the console, a CSV file, TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym_critic.errors import require
from agentgym_critic.files import whole_file

__all__ = ["Metrics", "as_line", "open_tensorboard", "write_csv"]

Metrics = dict[str, float]


def as_line(metrics: Metrics) -> str:
    """One iteration in a line.

    >>> as_line({"iteration": 3, "loss": 0.51239})
    'iteration 3  loss 0.5124'
    """
    return "  ".join(f"{name} {value:.4g}" for name, value in metrics.items())


def write_csv(path: Path, rows: Sequence[Metrics]) -> None:
    """Replace the file by these rows; a column for every name, empty where a row lacks it.

    Raises:
        StoreFullError: it cannot be written.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    with whole_file(path, overwrite=True) as draft, draft.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def open_tensorboard(folder: Path, start: int) -> Any:
    """TensorBoard's writer; what it was told of iterations from `start` is forgotten.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """
    require("tensorboard", "train", "Metrics for TensorBoard")
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), purge_step=start)
