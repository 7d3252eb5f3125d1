"""`agentgym-critic bank`."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from agentgym_critic.cli.common import json_option, print_json, print_rich

__all__ = ["bank"]

_bank_argument = click.argument("path", metavar="BANK.db", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_new_bank_argument = click.argument("path", metavar="BANK.db", type=click.Path(dir_okay=False, path_type=Path))


@click.group()
def bank() -> None:
    """Look into a memory bank, and move what it was taught."""


@bank.command()
@_bank_argument
@json_option
def stats(path: Path, as_json: bool) -> None:
    """Count what a bank holds."""
    from agentgym_critic.memory import MemoryBank

    with MemoryBank(path) as memory:
        counted = memory.stats()
    if as_json:
        print_json(counted)
        return
    for name, value in msgspec.to_builtins(counted).items():
        click.echo(f"{name:14} {value}")


@bank.command()
@_bank_argument
@click.argument("query")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True)
@json_option
def search(path: Path, query: str, limit: int, as_json: bool) -> None:
    """Find experiences by words of their task, state, action or outcome."""
    from agentgym_critic.memory import MemoryBank
    from agentgym_critic.render import render_experiences

    with MemoryBank(path) as memory:
        found = memory.search(query, limit)
    print_json(found) if as_json else print_rich(render_experiences(found))


@bank.command("export")
@_bank_argument
@click.argument("target", metavar="FILE.jsonl", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
@json_option
def export_bank(path: Path, target: Path, overwrite: bool, as_json: bool) -> None:
    """Write everything but the vectors: one trajectory a line, with the steps the bank was taught."""
    from agentgym_critic.memory import MemoryBank

    with MemoryBank(path) as memory:
        count = memory.export_jsonl(target, overwrite=overwrite)
    print_json({"trajectories": count, "file": target}) if as_json else click.echo(f"{count} trajectories in {target}")


@bank.command("import")
@_new_bank_argument
@click.argument("source", metavar="FILE.jsonl", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def import_bank(path: Path, source: Path, as_json: bool) -> None:
    """Add the trajectories of an exported file to a bank, new or not; none at all if a line is bad.

    Those that the bank knows already stay as they are.
    """
    from agentgym_critic.memory import MemoryBank

    with MemoryBank(path) as memory:
        added = memory.import_jsonl(source)
    if as_json:
        print_json({**added._asdict(), "bank": path})
    else:
        click.echo(
            f"{added.trajectories} trajectories with {added.sightings} judged steps added to {path}, "
            f"{added.known} known before"
        )
