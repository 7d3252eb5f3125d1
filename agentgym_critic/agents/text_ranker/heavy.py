"""Torch and safetensors, imported when a ranker is first made."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agentgym_critic.errors import require
from agentgym_critic.late import LateModule

if TYPE_CHECKING:
    import safetensors
    import safetensors.numpy as safetensors_numpy
    import safetensors.torch as safetensors_torch
    import torch
else:
    _NEEDED_BY = "A text ranker"
    torch = LateModule(partial(require, "torch", "train", _NEEDED_BY))
    safetensors = LateModule(partial(require, "safetensors", "train", _NEEDED_BY))
    safetensors_numpy = LateModule(partial(require, "safetensors.numpy", "train", _NEEDED_BY))
    safetensors_torch = LateModule(partial(require, "safetensors.torch", "train", _NEEDED_BY))

__all__ = ["safetensors", "safetensors_numpy", "safetensors_torch", "torch"]
