"""`agentgym-critic export`."""

from __future__ import annotations

from pathlib import Path

import click

from agentgym_critic.cli.common import json_option, print_json, store_argument

__all__ = ["export"]


@click.command()
@store_argument
@click.argument("target", metavar="FILE.jsonl|FILE.parquet", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--run", "run_id", help="Only this run.  [default: all]")
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
@json_option
def export(store: Path, target: Path, run_id: str | None, overwrite: bool, as_json: bool) -> None:
    """Write trajectories as JSONL (one a line) or Parquet (one row a step), by the file's ending."""
    from agentgym_critic.export import export_jsonl, export_parquet
    from agentgym_critic.store import RunStore

    writers = {".jsonl": export_jsonl, ".parquet": export_parquet}
    if target.suffix not in writers:
        raise click.BadParameter(f"the file ends in {' or '.join(writers)}, got {target.name!r}", param_hint="FILE")
    with RunStore(store) as runs:
        trajectories = runs.trajectories(runs.run(run_id) if run_id else None)
        count = writers[target.suffix](trajectories, target, overwrite=overwrite)
    print_json({"written": count, "file": target}) if as_json else click.echo(f"{count} written to {target}")
