"""Write the generated pages, docs/cli.md and docs/reference.md: python docs/make.py [--check]."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import agentgym_critic
from agentgym_critic.cli import cli

CLI_HEAD = """\
# The command line

`agentgym-critic VERB --help` says the same. Every verb answers in JSON with `--json`; progress
goes to standard error. Exit code 0: done; 1: the work failed; 2: wrong usage.
"""

REFERENCE_HEAD = """\
# Public names

What `import agentgym_critic` offers. `help(agentgym_critic.NAME)` gives arguments, shapes, units
and errors; the pages named on the [first page](index.md) tell how the parts work together.

| name | from | what |
| --- | --- | --- |
"""


def cli_page() -> str:
    """Every verb's own help."""
    return "\n".join([CLI_HEAD, *_sections(cli, "")])


def reference_page() -> str:
    """Every public name with the first line of its docstring."""
    rows = [_row(name, getattr(agentgym_critic, name)) for name in sorted(agentgym_critic.__all__, key=str.lower)]
    return REFERENCE_HEAD + "\n".join(rows) + "\n"


def _sections(command: click.Command, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name, child in sorted(command.commands.items()):
            yield from _sections(child, f"{path} {name}".strip())
        return
    context = click.Context(command, info_name=f"agentgym-critic {path}", terminal_width=100, max_content_width=100)
    yield f"## {path}\n\n```text\n{command.get_help(context)}\n```\n"


def _row(name: str, thing: object) -> str:
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    return f"| `{name}` | `{inspect.getmodule(thing).__name__}` | {first} |"  # type: ignore[union-attr]


def main() -> None:
    """Write the pages, or with --check say which are out of date."""
    pages = {"cli.md": cli_page(), "reference.md": reference_page()}
    folder = Path(__file__).parent
    old = [name for name, text in pages.items() if not (folder / name).exists() or (folder / name).read_text() != text]
    if "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(old)}; python docs/make.py" if old else 0)
    for name in old:
        (folder / name).write_text(pages[name])


if __name__ == "__main__":
    main()
