"""Number formats: what they are called, and which is the fastest on this machine."""

from __future__ import annotations

import functools
import time

from agentgym_critic.errors import ConfigError, require

__all__ = ["DTYPES", "choose_dtype", "fastest_cpu_dtype"]

DTYPES = ("bfloat16", "float16", "float32")
"""Names of the number formats a model may be loaded in."""

_MARGIN = 1.5
"""How many times faster bfloat16 must be: near ties must not flip from run to run."""


def choose_dtype(dtype: str, device: str) -> str:
    """The name of the number format to load a model in.

    Args:
        dtype: one of `DTYPES`, or ``"auto"``.
        device: where the model will run, for example ``"cpu"`` or ``"cuda:0"``.

    Raises:
        ConfigError: there is no such format.
    """
    if dtype in DTYPES:
        return dtype
    if dtype != "auto":
        raise ConfigError(f"dtype is 'auto' or one of {', '.join(DTYPES)}, got {dtype!r}")
    if device.startswith("cpu"):
        return fastest_cpu_dtype()
    torch = require("torch", "lm", "TransformersLM")
    return "bfloat16" if not device.startswith("cuda") or torch.cuda.is_bf16_supported() else "float16"


@functools.cache
def fastest_cpu_dtype() -> str:
    """``"bfloat16"`` if this processor multiplies in it clearly faster than in float32, by a short trial."""
    return "bfloat16" if _seconds("float32") > _MARGIN * _seconds("bfloat16") else "float32"


def _seconds(dtype: str) -> float:
    """Best of three products of the shape of a small model's layers."""
    torch = require("torch", "lm", "TransformersLM")
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(128, 1024, generator=generator).to(getattr(torch, dtype)) for _ in range(2))
    timings = []
    for _ in range(4):  # the first one warms up
        started = time.perf_counter()
        left @ right.T @ right
        timings.append(time.perf_counter() - started)
    return min(timings[1:])
