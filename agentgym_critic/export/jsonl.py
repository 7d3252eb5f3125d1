"""Trajectories as JSON Lines: one trajectory a line, read back exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from agentgym_critic.errors import ConfigError, NewerSchemaError, NotAStoreError
from agentgym_critic.files import whole_file
from agentgym_critic.types import SCHEMA_VERSION, Trajectory, from_json, to_json

__all__ = ["export_jsonl", "read_jsonl"]


def export_jsonl(trajectories: Iterable[Trajectory], path: str | Path, *, overwrite: bool = False) -> int:
    """Write one trajectory a line, as `to_json` gives it; holds one of them in memory at a time.

    Args:
        trajectories: for example `RunStore.trajectories`.
        path: the file; it appears once it is complete.
        overwrite: whether an existing file may be replaced.

    Returns:
        The number of trajectories.

    Raises:
        ConfigError: the file exists, or its folder does not.
        StoreFullError: the disk is full, or the file may not be written.
    """
    count = 0
    with whole_file(Path(path), overwrite=overwrite) as part, part.open("wb") as file:
        for count, trajectory in enumerate(trajectories, 1):  # noqa: B007 - the count is returned
            file.write(to_json(trajectory) + b"\n")
    return count


def read_jsonl(path: str | Path) -> Iterator[Trajectory]:
    """The trajectories of a file that `export_jsonl` wrote, one at a time; empty lines are skipped.

    Raises:
        ConfigError: the file cannot be opened.
        NotAStoreError: a line is no trajectory; names the line and what is wrong with it.
        NewerSchemaError: a line was written by a newer version of this package.
    """
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below, once the last line is read
    except OSError as cause:
        raise ConfigError(f"{path} cannot be read: {cause}") from cause
    with file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parsed(line, f"{path}, line {number}")


def _parsed(line: bytes, place: str) -> Trajectory:
    try:
        version = from_json(line, _Version).schema_version
        if version <= SCHEMA_VERSION:
            return from_json(line, Trajectory)
    except (msgspec.DecodeError, ConfigError) as cause:
        raise NotAStoreError(f"{place} is no trajectory: {cause}") from cause
    raise NewerSchemaError(
        f"{place} has schema version {version}, newer than the {SCHEMA_VERSION} known here; upgrade agentgym-critic"
    )


class _Version(msgspec.Struct):
    """The one field that is read before the rest."""

    schema_version: int = SCHEMA_VERSION
