"""`agentgym-critic envs`."""

from __future__ import annotations

import click

from agentgym_critic.cli.common import json_option, print_json
from agentgym_critic.envs import describe_envs

__all__ = ["envs"]


@click.command()
@json_option
def envs(as_json: bool) -> None:
    """List the environments."""
    described = describe_envs()
    if as_json:
        print_json(described)
        return
    wide = max(map(len, described))
    for env_id, description in described.items():
        click.echo(f"{env_id:{wide}}  {description}")
