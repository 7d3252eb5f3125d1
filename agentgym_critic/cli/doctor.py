"""`agentgym-critic doctor`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from agentgym_critic.cli.common import json_option, print_json
from agentgym_critic.terminal import printable

if TYPE_CHECKING:
    from agentgym_critic.doctor import Check

__all__ = ["doctor"]

_MARKS = {"ok": "ok     ", "missing": "missing", "broken": "BROKEN "}


@click.command()
@click.option("--envs", is_flag=True, help="Hold every environment that can run here to its whole contract; minutes.")
@json_option
def doctor(envs: bool, as_json: bool) -> None:
    """Say what is installed, what is missing, which data there are, and whether each environment works.

    Optional parts that are not there are no failure; a part that is there and broken is.
    """
    from agentgym_critic.doctor import examine, examine_envs

    found = examine_envs() if envs else iter(examine())
    checks = list(_told(found, on_stderr=as_json))
    if as_json:
        print_json(checks)
    if any(check.state == "broken" for check in checks):
        sys.exit(1)


def _told(checks: Iterable[Check], on_stderr: bool) -> Iterator[Check]:
    """The checks, each printed as soon as it is done."""
    for check in checks:
        click.echo(f"{_MARKS[check.state]}  {check.name:46} {printable(check.detail)}", err=on_stderr)
        yield check
