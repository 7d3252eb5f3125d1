"""What several verbs share: options, and the two ways to answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from agentgym_critic.errors import abridged
from agentgym_critic.types import clean_text, to_json

__all__ = ["json_option", "print_json", "print_rich", "read_setting", "settings_option", "store_argument"]

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """`--json`: one JSON document on standard output, and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def settings_option(flag: str, parameter: str, what: str) -> Callable[[F], F]:
    """A repeatable `KEY=VALUE` option; values are read as JSON where they are JSON, else as text."""
    help_text = f"A setting of {what}; VALUE is JSON, else text; repeatable."
    return click.option(flag, parameter, multiple=True, metavar="KEY=VALUE", callback=_settings, help=help_text)


def store_argument(function: F) -> F:
    """The run store a verb reads."""
    path = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.argument("store", metavar="RUNS.db", type=path)(function)


def print_json(document: Any) -> None:
    """Print a document of records, dicts and lists as JSON."""
    plain = msgspec.to_builtins(document, enc_hook=str)
    click.echo(msgspec.json.format(to_json(plain), indent=2).decode())


def print_rich(renderable: Any) -> None:
    """Print a table or styled text; 120 columns wide where there is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120
    console.print(renderable)


def _settings(context: click.Context, option: click.Parameter, pairs: tuple[str, ...]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key, value in (read_setting(pair, ctx=context, param=option) for pair in pairs):
        if key in settings:
            raise click.BadParameter(f"{key} is given twice", context, option)
        settings[key] = value
    return settings


def read_setting(pair: str, **where: Any) -> tuple[str, Any]:
    """``KEY=VALUE`` as a key and a value, which is JSON where it is, else text.

    Args:
        pair: what was typed.
        where: what `click.BadParameter` takes to say where.

    Raises:
        BadParameter: it is no such pair.
    """
    key, equals, value = pair.partition("=")
    if not equals or not key.isidentifier():
        raise click.BadParameter(f"expected KEY=VALUE, got {abridged(pair)}", **where)
    if clean_text(value) != value:
        raise click.BadParameter(f"the value of {key} is no text in UTF-8", **where)
    try:
        return key, msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return key, value
