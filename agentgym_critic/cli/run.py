"""`agentgym-critic run`."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import click

from agentgym_critic.cli.common import json_option, print_json, print_rich, settings_option
from agentgym_critic.errors import ConfigError

__all__ = ["run"]


@click.command()
@click.option(
    "--env",
    required=True,
    help="Environment id, or module:id to import a module first; `agentgym-critic envs` lists ours.",
)
@settings_option("--env-option", "env_settings", "the environment")
@click.option("--split", help="Short for --env-option split=...")
@click.option("--max-steps", type=click.IntRange(min=1), help="Short for --env-option max_steps=...")
@click.option("--agent", default="random", show_default=True, help="A name, pkg.mod:Class or plugin.")
@settings_option("--agent-option", "agent_settings", "the agent")
@click.option("--model", help="smollm2, a Hugging Face id, a folder, a GGUF file or openai:NAME@URL.")
@settings_option("--model-option", "model_settings", "the model")
@click.option("--critic", help="Judges before a step: a name, pkg.mod:Class or plugin.")
@settings_option("--critic-option", "critic_settings", "the critic")
@click.option("--gate", type=click.Choice(["off", "warn", "regenerate"]), default="off", show_default=True)
@settings_option("--gate-option", "gate_settings", "the gate")
@click.option("--hindsight", help="Judges steps afterwards: a name, pkg.mod:Class or plugin.")
@settings_option("--hindsight-option", "hindsight_settings", "the hindsight critic")
@click.option("--bank", type=click.Path(), help="Memory bank.  [default: beside the run store]")
@click.option("--episodes", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**52), default=0, show_default=True)
@click.option("--group-size", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes of one seed.")
@click.option("--parallel", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes at once.")
@click.option("--resume", is_flag=True, help="Continue the latest run of this configuration.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    default="runs.db",
    show_default=True,
    help="Run store, made if it is not there.",
)
@json_option
def run(split: str | None, max_steps: int | None, as_json: bool, **options: Any) -> None:
    """Run episodes and keep them, every step judged, in a run store."""
    from agentgym_critic import assembly, render
    from agentgym_critic.cli.progress import progress

    for name, value in (("split", split), ("max_steps", max_steps)):
        if value is not None:
            if name in options["env_settings"]:
                raise ConfigError(f"--{name.replace('_', '-')} and --env-option {name}=... are both given; keep one")
            options["env_settings"][name] = value
    # Whatever a plugin or an agent at the terminal prints must not end up within the JSON.
    quiet = contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext()
    with progress(options["episodes"]) as on_episode, quiet:
        report = assembly.run(assembly.RunOptions(**options), on_episode)
    print_json(report) if as_json else print_rich(render.render_report(report))
    if report.failures:
        sys.exit(1)
