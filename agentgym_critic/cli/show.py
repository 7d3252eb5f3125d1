"""`agentgym-critic show`."""

from __future__ import annotations

from pathlib import Path

import click

from agentgym_critic.cli.common import json_option, print_json, print_rich, store_argument
from agentgym_critic.cli.progress import describe

__all__ = ["show"]


@click.command()
@store_argument
@click.argument("trajectory_id", required=False)
@click.option("--last", is_flag=True, help="The trajectory committed last.")
@json_option
def show(store: Path, trajectory_id: str | None, last: bool, as_json: bool) -> None:
    """Show a trajectory, both verdicts beside each step; without an id, the runs and their episodes."""
    from agentgym_critic import render
    from agentgym_critic.evaluation import summarize
    from agentgym_critic.store import RunStore

    if last and trajectory_id:
        raise click.UsageError("give a trajectory id or --last, not both")
    with RunStore(store) as runs:
        if last or trajectory_id:
            trajectory = runs.trajectory(trajectory_id or runs.last_id())
            print_json(trajectory) if as_json else print_rich(render.render_trajectory(trajectory))
            return
        listed = [(run, summarize(runs.trajectories(run)), runs.failures(run, unresolved=True)) for run in runs.runs()]
        if as_json:
            print_json([{"run": run, "summary": summary, "failures": failures} for run, summary, failures in listed])
            return
        print_rich(render.render_store(listed))
        for trajectory in runs.trajectories():
            click.echo(describe(trajectory))
