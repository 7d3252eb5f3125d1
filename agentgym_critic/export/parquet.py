"""Trajectories as Parquet: one row a step, for data frames, SQL engines and the hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import Any

from agentgym_critic.errors import ConfigError, require
from agentgym_critic.export.columns import COLUMNS, rows
from agentgym_critic.files import whole_file
from agentgym_critic.types import SCHEMA_VERSION, Trajectory, from_json, to_json

__all__ = ["export_parquet"]


def export_parquet(
    trajectories: Iterable[Trajectory], path: str | Path, *, overwrite: bool = False, row_group_steps: int = 8_192
) -> int:
    """Write one row a step (the columns are in ``docs/export.md``), compressed with zstd.

    A trajectory without steps leaves no row. Interventions are kept as the rejected actions
    with their verdicts' `p`, undone steps as their actions; use JSONL for an exact copy.

    Args:
        trajectories: for example `RunStore.trajectories`.
        path: the file; it appears once it is complete.
        overwrite: whether an existing file may be replaced.
        row_group_steps: rows that are held in memory, and written, together.

    Returns:
        The number of rows.

    Raises:
        ConfigError: the file exists, its folder does not, or `row_group_steps` is below 1.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: the disk is full, or the file may not be written.
    """
    if row_group_steps < 1:
        raise ConfigError(f"row_group_steps is at least 1, got {row_group_steps}")
    pa = require("pyarrow", "parquet", "export_parquet")
    parquet = require("pyarrow.parquet", "parquet", "export_parquet")
    schema, count, steps = _schema(pa), 0, _steps(trajectories)
    with (
        whole_file(Path(path), overwrite=overwrite) as part,
        parquet.ParquetWriter(part, schema, compression="zstd") as file,
    ):
        while group := list(islice(steps, row_group_steps)):
            file.write_batch(pa.RecordBatch.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _steps(trajectories: Iterable[Trajectory]) -> Iterator[dict[str, Any]]:
    for trajectory in trajectories:
        # Through JSON, which cleans text that is not valid Unicode and that Arrow would refuse.
        yield from rows(from_json(to_json(trajectory), Trajectory))


def _schema(pa: Any) -> Any:
    types = {
        "bool": pa.bool_(),
        "float64": pa.float64(),
        "int64": pa.int64(),
        "string": pa.string(),
        "list<float64>": pa.list_(pa.float64()),
        "list<int64>": pa.list_(pa.int64()),
        "list<string>": pa.list_(pa.string()),
        "map<string, float64>": pa.map_(pa.string(), pa.float64()),
    }
    stamp = {"agentgym_critic": metadata.version("agentgym-critic"), "schema_version": str(SCHEMA_VERSION)}
    return pa.schema([(column.name, types[column.type]) for column in COLUMNS], metadata=stamp)
