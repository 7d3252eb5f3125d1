"""`agentgym-critic show`."""

from __future__ import annotations

from pathlib import Path

import click

from agentgym_critic.cli.common import json_option, print_json, print_rich, store_argument

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
        summaries = {run.id: summarize(runs.trajectories(run)) for run in runs.runs()}
        print_json(summaries) if as_json else print_rich(render.render_summaries(summaries.items()))
        if not as_json:
            for trajectory in runs.trajectories():
                click.echo(f"{trajectory.id}  {trajectory.end:10} {len(trajectory.steps):3} steps  {trajectory.task}")
