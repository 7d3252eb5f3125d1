"""Write docs/cli.md from the command's own help: python docs/make_cli.py [--print]."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from agentgym_critic.cli import cli

HEAD = """\
# The command line

`agentgym-critic VERB --help` says the same. Every verb answers in JSON with `--json`; progress
goes to standard error. Exit code 0: done; 1: the work failed; 2: wrong usage.
"""


def _sections(command: click.Command, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name, child in sorted(command.commands.items()):
            yield from _sections(child, f"{path} {name}".strip())
        return
    context = click.Context(command, info_name=f"agentgym-critic {path}", terminal_width=100, max_content_width=100)
    yield f"## {path}\n\n```text\n{command.get_help(context)}\n```\n"


def main() -> None:
    """Write the page beside this file, or print it."""
    page = "\n".join([HEAD, *_sections(cli, "")])
    if "--print" in sys.argv:
        sys.stdout.write(page)
    else:
        Path(__file__).with_name("cli.md").write_text(page)


if __name__ == "__main__":
    main()
