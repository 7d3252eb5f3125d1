"""`agentgym-critic play`."""

from __future__ import annotations

import contextlib
from typing import Any

import click

from agentgym_critic.cli.common import json_option, print_json
from agentgym_critic.cli.players import env_options, env_settings_of

__all__ = ["play"]


@click.command()
@click.argument("env", required=False)
@click.option("--env", "named", metavar="ENV", help="The same as the argument, as `run` has it.")
@env_options()
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@json_option
def play(
    env: str | None,
    named: str | None,
    env_settings: dict[str, Any],
    split: str | None,
    max_steps: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Play an environment yourself: ? lists the actions, undo takes one back, quit leaves.

    With --json the game is shown on standard error, and its result on standard output.
    """
    if (env is None) == (named is None):
        raise click.UsageError("name one environment: agentgym-critic play agentgym_critic/Sokoban-v0")
    from agentgym_critic.agents.human import play as play_game
    from agentgym_critic.envs import make_env

    def show(line: str) -> None:
        click.echo(line, err=as_json)

    def ask(prompt: str) -> str:
        if not as_json:
            return input(prompt)
        click.echo(prompt, nl=False, err=True)
        return input()

    settings = env_settings_of(env_settings, split, max_steps)
    with contextlib.closing(make_env(env or named or "", **settings)) as world:
        played = play_game(world, seed=seed, input=ask, output=show)
    if as_json:
        print_json(played._asdict())
