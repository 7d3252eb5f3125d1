"""Resident memory of this process; shared by the benchmarks, no benchmark itself."""

from __future__ import annotations

import resource
from pathlib import Path

__all__ = ["resident"]


def resident() -> int:
    """Bytes of this process in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
