"""`agentgym-critic judge`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agentgym_critic.cli.common import json_option, print_json, settings_option, store_argument
from agentgym_critic.cli.players import playing

__all__ = ["judge"]


@click.command()
@store_argument
@click.option("--hindsight", required=True, help="Judges the steps: a name, pkg.mod:Class or plugin.")
@settings_option("--hindsight-option", "hindsight_settings", "the hindsight critic")
@click.option("--model", help="smollm2, a Hugging Face id, a folder, a GGUF file or openai:NAME@URL.")
@settings_option("--model-option", "model_settings", "the model")
@click.option("--run", "runs", multiple=True, help="Only this run; repeatable.  [default: all]")
@click.option("--bank", type=click.Path(dir_okay=False), help="Teach what comes out to this memory bank.")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Run store of the judged episodes.")
@json_option
def judge(store: Path, model: str | None, model_settings: dict[str, Any], as_json: bool, **options: Any) -> None:
    """Judge stored episodes again, by another hindsight critic.

    What is in RUNS.db stays as it is: the judged episodes go to another run store, as runs of their own.
    The same command goes on with what was interrupted.
    """
    from agentgym_critic import judging
    from agentgym_critic.assembly import Assembly

    chosen = judging.Judging(store=str(store), **options)
    with playing(None, quiet=as_json) as on_episode:
        judged = judging.judge(chosen, Assembly(model, **model_settings), on_episode)
    if as_json:
        print_json(judged)
        return
    click.echo(f"{judged.judged} episodes judged, {judged.found} found judged, {judged.unscored} steps unscored")
    for old, new in judged.runs.items():
        click.echo(f"run {old} is run {new} of {judged.out}")
