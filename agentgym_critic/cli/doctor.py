"""`agentgym-critic doctor`."""

from __future__ import annotations

import sys

import click

from agentgym_critic.cli.common import json_option, print_json
from agentgym_critic.terminal import printable

__all__ = ["doctor"]

_MARKS = {"ok": "ok     ", "missing": "missing", "broken": "BROKEN "}


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what is installed, what is missing, which data there are, and whether each environment works.

    Optional parts that are not there are no failure; a part that is there and broken is.
    """
    from agentgym_critic.doctor import examine

    checks = examine()
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            click.echo(f"{_MARKS[check.state]}  {check.name:46} {printable(check.detail)}")
    if any(check.state == "broken" for check in checks):
        sys.exit(1)
