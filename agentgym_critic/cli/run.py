"""`agentgym-critic run`."""

from __future__ import annotations

import sys
from typing import Any

import click

from agentgym_critic.cli.common import json_option, print_json, print_rich
from agentgym_critic.cli.players import player_options, playing, run_options, stage_options

__all__ = ["run"]


@click.command()
@player_options(gate="off")
@click.option("--episodes", type=click.IntRange(min=1), default=1, show_default=True)
@stage_options(out="runs.db")
@json_option
def run(as_json: bool, **options: Any) -> None:
    """Run episodes and keep them, every step judged, in a run store."""
    from agentgym_critic import assembly, render

    chosen = run_options(**options)
    with playing(chosen.episodes, quiet=as_json) as on_episode:
        report = assembly.run(chosen, on_episode)
    print_json(report) if as_json else print_rich(render.render_report(report))
    if report.failures:
        sys.exit(1)
