"""`agentgym-critic train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agentgym_critic.cli.common import json_option, print_json, settings_option

__all__ = ["train"]

METHODS = ["clone", "dagger", "gradient", "dpo-steps", "dpo-trajectories"]


@click.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[TOML]")
@click.option("--method", type=click.Choice(METHODS), help="How to learn.")
@click.option("--out", type=click.Path(file_okay=False), help="Folder of the checkpoint and the metrics.")
@click.option("--iterations", type=click.IntRange(min=1), help="Epochs over a store, or rounds of play.  [default: 10]")
@click.option("--store", type=click.Path(dir_okay=False), help="Run store that clone and dpo-... learn from.")
@click.option("--only-successes", is_flag=True, default=None, help="clone: leave out episodes that did not succeed.")
@click.option("--env", help="Environment id that dagger and gradient play, and all are evaluated on.")
@settings_option("--env-option", "env_settings", "the environment")
@click.option("--expert", help="dagger: the agent that is asked.  [default: oracle]")
@click.option("--credit", help="gradient: outcome, gigpo, hindsight, monte-carlo or sum.  [default: outcome]")
@click.option("--critic", help="gradient: a pre-operative critic, for credits that need one.")
@settings_option("--critic-option", "critic_settings", "the critic")
@click.option("--hindsight", help="gradient: a hindsight critic, likewise.")
@settings_option("--hindsight-option", "hindsight_settings", "the hindsight critic")
@click.option("--start", type=click.Path(dir_okay=False), help="A saved ranker to start from.")
@settings_option("--ranker", "ranker", "a fresh ranker")
@settings_option("--set", "settings", "the method")
@click.option("--evaluate-episodes", type=click.IntRange(min=1), help="Episodes of an evaluation.  [default: none]")
@click.option("--evaluate-seed", type=click.IntRange(min=0), help="The first of them.  [default: 1000000]")
@click.option("--evaluate-every", type=click.IntRange(min=1), help="Iterations between two.  [default: 1]")
@click.option("--resume", is_flag=True, default=None, help="Go on with the checkpoint in the folder.")
@click.option("--tensorboard", is_flag=True, default=None, help="Also write for TensorBoard; needs the extra train.")
@json_option
def train(file: Path | None, as_json: bool, **options: Any) -> None:
    """Train a small ranker of actions, from a store or by playing.

    A TOML file has the same settings by their long names: method, out, iterations, store, env, env_settings, ...; what
    is typed takes precedence. Every iteration is kept: a training that was killed goes on with --resume, along the
    same curve.
    """
    from agentgym_critic.courses import course_of, read_course, take_course
    from agentgym_critic.training.metrics import as_line

    given = {name: value for name, value in options.items() if value is not None and value != {}}
    course = read_course(file, **given) if file else course_of(given, "the command line")
    report = take_course(course, lambda metrics: click.echo(as_line(metrics), err=True))
    if as_json:
        print_json(report)
        return
    if course.store:
        click.echo(str(report.tally))
    click.echo(f"ranker: {report.checkpoint}")
