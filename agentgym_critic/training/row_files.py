"""Rows in a safetensors file: flat arrays and the lengths to cut them by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.text_ranker import Encoded
from agentgym_critic.agents.text_ranker.heavy import safetensors_numpy
from agentgym_critic.errors import ConfigError
from agentgym_critic.files import whole_file
from agentgym_critic.training.rows import Row

__all__ = ["read_rows", "write_rows"]

_PARTS = ("state", "actions", "starts", "target")


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, at least one; a file that is there is replaced.

    Raises:
        StoreFullError: it cannot be written.
    """
    parts = {name: [_part(row, name) for row in rows] for name in _PARTS}
    arrays = {name: np.concatenate(own) for name, own in parts.items()}
    lengths = {f"{name}.length": np.array(list(map(len, own)), dtype=np.int64) for name, own in parts.items()}
    weights = np.array([row.weight for row in rows])
    with whole_file(path, overwrite=True) as draft:
        safetensors_numpy.save_file({**arrays, **lengths, "weight": weights}, draft)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file.

    Raises:
        ConfigError: it is missing.
    """
    if not path.is_file():
        raise ConfigError(
            f"{path} is missing, and training cannot go on without its rows; start anew in another folder"
        )
    arrays = safetensors_numpy.load_file(path)
    cut = [np.split(arrays[name], np.cumsum(arrays[f"{name}.length"])[:-1]) for name in _PARTS]
    for state, actions, starts, target, weight in zip(*cut, arrays["weight"], strict=True):
        yield Row(Encoded(state, actions, starts), target, float(weight))


def _part(row: Row, name: str) -> NDArray[Any]:
    part: NDArray[Any] = row.target if name == "target" else getattr(row.encoded, name)
    return part
